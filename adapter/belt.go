package adapter

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// A Belt limits, contains and audits the calls of those tools of a server that
// have no contract, and hands on the SDK's own results. Make one with
// [NewBelt]. It is safe for concurrent use.
type Belt struct {
	*Table // without tools

	settings belt.Settings
	tools    sync.Map // of name to *beltedTool
	known    atomic.Int64
}

// maxBelted is how many tools a belt remembers. A server may make up names for
// tools that come and go.
const maxBelted = 4096

// belted has the servers that have a belt.
var belted sync.Map // of weak.Pointer to true

// NewBelt returns a belt for an SDK's server of this name. The error joins a
// [contract.DeclarationError] for each mistake in the settings, or says that
// the server already has a belt.
func NewBelt[S any](server *S, name string, settings []belt.Settings) (*Belt, error) {
	s := belt.Settings{Timeout: 10 * time.Minute, Concurrent: 64, ArgumentBytes: 4 << 20, ResultBytes: 16 << 20} // as documented
	for _, given := range settings {
		for field, value := range reflect.ValueOf(given).Fields() {
			if !value.IsZero() {
				reflect.ValueOf(&s).Elem().FieldByIndex(field.Index).Set(value)
			}
		}
	}
	var errs []error
	bad := func(rule, where, message, remedy string) {
		errs = append(errs, &contract.DeclarationError{Rule: rule, Where: where, Message: message, Remedy: remedy})
	}
	for field, value := range reflect.ValueOf(s).Fields() {
		if value.CanInt() && value.Int() < 0 {
			bad("serve.belt", field.Name, "the limit is negative", "correct it, or leave it out for the default")
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(s.Timeouts)) {
		if s.Timeouts[tool] <= 0 {
			bad("serve.belt", "Timeouts", "the time of the tool "+tool+" is not positive", "correct it, or leave the tool out")
		}
	}
	if (s.Calls == 0) != (s.Per == 0) {
		bad("serve.belt", "Settings", "only one of Calls and Per is set", "set both, or neither")
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if s.Guard == nil { // a program may make a server for each request, and nobody else can close this guard
		g, err := guard.New()
		if err != nil {
			return nil, err
		}
		runtime.AddCleanup(server, func(g *guard.Guard) { _ = g.Close(context.Background()) }, g)
		s.Guard = g
	}
	table, err := NewTable(s.Guard, Config{Server: name})
	if err != nil {
		return nil, err
	}
	if _, before := belted.LoadOrStore(weak.Make(server), true); before {
		return nil, &contract.DeclarationError{
			Rule: "serve.protected", Message: "the server is protected already", Remedy: "call Protect once",
		}
	}
	runtime.AddCleanup(server, func(key weak.Pointer[S]) { belted.Delete(key) }, weak.Make(server))
	return &Belt{Table: table, settings: s}, nil
}

// A beltedTool is what a belt knows about a tool.
type beltedTool struct {
	version any
	call    exchange.PlainCall
	logMeta sync.Once
}

// Call takes a call of the named tool through the guard, which calls run. Run
// returns the SDK's own result as Passed, with its IsError, Structured and
// Meta; ResultType is "input_required" if it asks the client for input. If it
// may be handed on, Call returns it, and Meta has the outcome too. Any other
// result is the guard's own, as from [Table.Call]. If run returns an
// [RPCError], Call returns it.
//
// With [belt.Strict], members of Meta that only the protocol may set are left
// out. Otherwise they are logged, once for each tool.
//
// Call does not call define again until version changes. Version must be
// comparable. An error of define means that the tool's schemas cannot be read;
// its calls are limited nonetheless.
func (b *Belt) Call(
	ctx context.Context, name string, version any, define func() (Definition, error), r Request,
	run func(context.Context) (*CallResult, error),
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
		if b.known.Add(1) > maxBelted {
			b.tools.Clear()
			b.known.Store(1)
		}
		b.tools.Store(name, tool)
	}
	result, err := tool.call(withMeta(ctx, r.Meta), exchange.Request{
		Arguments: r.Arguments, IdempotencyKey: sentKey(r.Meta), Isolate: true, Progress: r.Progress, Server: b.server,
		Caller: r.Caller, Run: func(ctx context.Context) (*bound.Passed, error) { return passed(run(ctx)) },
	})
	switch {
	case err != nil:
		return nil, err
	case result.Passed == nil:
		return b.answer(result, r.Client.Modern)
	case result.Passed.Err != nil:
		return nil, result.Passed.Err
	}
	own := result.Passed.Value.(*CallResult) //nolint:forcetypeassert // see passed
	own.Outcome = &result.Outcome
	own.Meta = b.metaWith(ctx, name, tool, own)
	return own, nil
}

// passed describes what an SDK answered.
func passed(r *CallResult, err error) (*bound.Passed, error) {
	if own, ok := err.(*RPCError); ok { //nolint:errorlint // one that another error wraps is not for the client
		return &bound.Passed{Err: own}, nil
	}
	if err != nil {
		return nil, err
	}
	size := int64(len(r.Structured))
	if own := reflect.Indirect(reflect.ValueOf(r.Passed)); own.Kind() == reflect.Struct {
		size += contentBytes(own.FieldByName("Content"))
	}
	return &bound.Passed{
		Value: r, IsError: r.IsError, Asks: r.ResultType == resultInputRequired, Structured: r.Structured, Bytes: size,
	}, nil
}

// contentBytes returns roughly the size on the wire of the content of an SDK's
// result: that of its texts and bytes. The items are of the SDK's own types; the
// values in their _meta, which authors choose, do not count.
func contentBytes(v reflect.Value) (size int64) {
	switch v.Kind() {
	case reflect.String:
		return int64(v.Len())
	case reflect.Pointer, reflect.Interface:
		return contentBytes(v.Elem())
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() && field.Name != "Meta" {
				size += contentBytes(value)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return int64(base64.StdEncoding.EncodedLen(v.Len()))
		}
		for _, item := range v.Seq2() {
			size += contentBytes(item)
		}
	default:
	}
	return size
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

// metaWith returns the _meta of an SDK's own result with the outcome, in a map
// of its own; see [Belt.Call].
func (b *Belt) metaWith(ctx context.Context, name string, tool *beltedTool, own *CallResult) map[string]any {
	meta := make(map[string]any, len(own.Meta)+1)
	for key, value := range own.Meta {
		if strings.HasPrefix(key, protocolKeys) {
			if b.settings.Strict {
				continue
			}
			tool.logMeta.Do(func() {
				slog.WarnContext(ctx, "toolcontract: a result has a member of _meta that only the protocol may set, which is only reported",
					"tool", name, "member", key)
			})
		}
		meta[key] = value
	}
	meta[contract.MetaKeyOutcome] = *own.Outcome
	return meta
}

// Pause stops the time of the call that ctx belongs to while its client is
// asked, until resume is called.
func (*Belt) Pause(ctx context.Context) (resume func()) { return bound.Pause(ctx) }
