package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// A Belt limits, contains and audits the calls of a server's tools that have no
// contract, and hands on the SDK's own results. Make one with [NewBelt]. It is
// safe for concurrent use.
type Belt struct {
	*Table // without tools

	settings belt.Settings
	tools    sync.Map // of name to *beltedTool
}

// A Passed is the answer of an SDK that a [Belt] hands on.
type Passed = bound.Passed

// The defaults of [belt.Settings].
const (
	beltTimeout    = 10 * time.Minute
	beltConcurrent = 64
	beltArguments  = 4 << 20
	beltResult     = 16 << 20
)

// NewBelt returns the belt of a server of this name. The error joins a
// [contract.DeclarationError] for each mistake in the options.
func NewBelt(server string, opts []belt.Option) (*Belt, error) {
	var s belt.Settings
	var errs []error
	bad := func(rule, where, message, remedy string) {
		errs = append(errs, &contract.DeclarationError{Rule: rule, Where: where, Message: message, Remedy: remedy})
	}
	for i, o := range opts {
		if o == nil {
			bad("serve.option", "Protect", fmt.Sprintf("option %d is nil", i), "leave it out")
			continue
		}
		o.Apply(&s)
	}
	isNegative := s.Timeout < 0 || s.Calls < 0 || s.Per < 0 || s.Concurrent < 0 || s.ArgumentBytes < 0 || s.ResultBytes < 0
	for _, tool := range slices.Sorted(maps.Keys(s.Timeouts)) {
		if s.Timeouts[tool] <= 0 {
			bad("serve.belt", "Timeouts", "the time of the tool "+tool+" is not positive", "correct it, or leave the tool out")
		}
	}
	if isNegative {
		bad("serve.belt", "Settings", "a limit is negative", "correct it, or leave it out for the default")
	}
	if (s.Calls == 0) != (s.Per == 0) {
		bad("serve.belt", "Settings", "only one of Calls and Per is set", "set both, or neither")
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.Timeout = cmp.Or(s.Timeout, beltTimeout)
	s.Concurrent = cmp.Or(s.Concurrent, beltConcurrent)
	s.ArgumentBytes, s.ResultBytes = cmp.Or(s.ArgumentBytes, beltArguments), cmp.Or(s.ResultBytes, beltResult)
	table, err := NewTable(s.Guard, Config{Server: server})
	if err != nil {
		return nil, err
	}
	return &Belt{Table: table, settings: s}, nil
}

// A beltedTool is what a belt knows about a tool.
type beltedTool struct {
	version any
	call    exchange.PlainCall
}

// Call takes a call of the tool name through the guard, and run with it. If run
// is called and its answer may be handed on, it is the Passed of the result,
// whose Meta has only the outcome to add to that answer. Any other result is the
// guard's own, as from [Table.Call]. An error is a JSON-RPC error: that of the
// Passed, unless it is the guard's.
//
// Until version changes, which must be comparable, define is not called again.
// Its error means that the schemas of the tool cannot be read; it is limited
// nonetheless.
func (b *Belt) Call(
	ctx context.Context, name string, version any, define func() (Definition, error), r Request,
	run func(context.Context) (*Passed, error),
) (*CallResult, error) {
	known, _ := b.tools.Load(name)
	tool, ok := known.(*beltedTool)
	if !ok || tool.version != version {
		d, err := define()
		if err != nil {
			slog.WarnContext(ctx, "toolcontract: the schemas of a tool cannot be read, so nothing is checked against them", "tool", name,
				"error", err)
		}
		tool = &beltedTool{version: version, call: b.operations.Plain(b.plain(name, &d))}
		b.tools.Store(name, tool)
	}
	request := exchange.Request{
		Arguments: r.Arguments, IdempotencyKey: sentKey(r.Meta), Isolate: true, Progress: r.Progress, Server: b.server,
		Caller: r.Caller,
	}
	result, err := tool.call(withMeta(ctx, r.Meta), request, run)
	if err != nil {
		return nil, err
	}
	if passed := result.Passed; passed != nil {
		if passed.Err != nil {
			return nil, passed.Err
		}
		return &CallResult{
			Passed: passed.Value, IsError: passed.IsError, Outcome: &result.Outcome,
			Meta: map[string]any{contract.MetaKeyOutcome: result.Outcome},
		}, nil
	}
	return b.answer(result, r.Client.Modern)
}

// plain returns the limits and the checks of a tool.
func (b *Belt) plain(name string, d *Definition) bound.Plain {
	s := &b.settings
	effect, _ := d.Annotations.GuessEffect()
	timeout := s.Timeout
	if own, ok := s.Timeouts[name]; ok {
		timeout = own
	}
	return bound.Plain{
		Name: name, ReadOnly: effect == risk.ReadOnly, Timeout: timeout, Calls: s.Calls, Per: s.Per,
		Concurrent: s.Concurrent, ArgumentBytes: s.ArgumentBytes, ResultBytes: s.ResultBytes, Strict: s.Strict,
		CheckInput: checkArguments(d.InputSchema), CheckOutput: checkStructured(d.OutputSchema),
	}
}

// ResultMeta returns the _meta of an SDK's own result with the outcome, in a map
// of its own. With [belt.Strict] it lacks the members that only the protocol may
// set; otherwise they are logged, once for each tool.
func (b *Belt) ResultMeta(ctx context.Context, tool string, own map[string]any, r *CallResult) map[string]any {
	meta := make(map[string]any, len(own)+1)
	for key, value := range own {
		if strings.HasPrefix(key, protocolKeys) {
			if b.settings.Strict {
				continue
			}
			if _, logged := b.tools.LoadOrStore(metaOf(tool), true); !logged {
				slog.WarnContext(ctx, "toolcontract: a result has a member of _meta that only the protocol may set, which is only reported",
					"tool", tool, "member", key)
			}
		}
		meta[key] = value
	}
	maps.Copy(meta, r.Meta)
	return meta
}

// Pause stops the time of the call that ctx belongs to while its client is
// asked, until resume is called.
func (*Belt) Pause(ctx context.Context) (resume func()) { return bound.Pause(ctx) }

// metaOf is the key of a tool whose _meta was reported.
type metaOf string
