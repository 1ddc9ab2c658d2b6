package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
)

// A logLine is one line of a server's log.
type logLine struct {
	Level, Msg, Error, Stack, Tool, CallID, Code, Remedy, Reason string
	LeftOut                                                      int
}

// A serverLog collects what a guard writes to its logger.
type serverLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *serverLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *serverLog) option() guard.Option {
	return guard.WithLogger(slog.New(slog.NewJSONHandler(l, nil)))
}

func (l *serverLog) lines(t *testing.T) []logLine {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []logLine
	for raw := range strings.Lines(l.text.String()) {
		var line logLine
		require.NoError(t, json.Unmarshal([]byte(raw), &line))
		lines = append(lines, line)
	}
	return lines
}

// explode is the function that the stacks must name.
func explode() { panic("boom") }

type explodingOutput struct{ Paid int64 }

func (explodingOutput) MarshalJSON() ([]byte, error) { explode(); return nil, nil }

type explodingInput struct {
	When explodingText `json:"when"`
}

type explodingText string

func (*explodingText) UnmarshalText([]byte) error { explode(); return nil }

type explodingStore struct{ store.Store }

func (explodingStore) Claim(context.Context, store.Claim) (store.ClaimResult, error) {
	explode()
	return store.ClaimResult{}, nil
}

type explodingLimiter struct{}

func (explodingLimiter) Take(context.Context, ...store.Bucket) (time.Duration, error) {
	explode()
	return 0, nil
}

func TestPanic_StackIsInTheLogAndNowhereElse(t *testing.T) {
	t.Parallel()
	memory := newMemory(t)
	n := &counter{}
	for name, tc := range map[string]struct {
		tool      *contract.Tool
		arguments string
		opts      []guard.Option
	}{
		"the handler": {tool: writer("pay.now", func(context.Context) error { explode(); return nil }).MustBuild()},
		"a handler on its own goroutine": {
			tool: writer("pay.now", func(context.Context) error { explode(); return nil }).Timeout(time.Minute).MustBuild(),
		},
		"the preview": {
			tool: n.payer("pay.now").DryRun(dryrun.By(func(context.Context, payInput) (dryrun.Preview[payPreview], error) {
				explode()
				return dryrun.Preview[payPreview]{}, nil
			})).MustBuild(), arguments: dryPay,
		},
		"a marshaler of the result": {
			tool: reader("pay.now", func(context.Context) (explodingOutput, error) { return explodingOutput{}, nil }).
				OutputSchema(json.RawMessage(`{"type":"object"}`)).MustBuild(),
		},
		"a marshaler in _meta": {
			tool: reader("pay.now", func(context.Context) (contract.Reply[payOutput], error) {
				return contract.Reply[payOutput]{Meta: map[string]any{"a": explodingOutput{}}}, nil
			}).MustBuild(),
		},
		"an unmarshaler of the arguments": {
			tool: contract.New("pay.now", func(context.Context, explodingInput) (empty, error) { return empty{}, nil }).From(writing()).
				InputSchema(json.RawMessage(`{"type":"object","properties":{"when":{"type":"string"}},"additionalProperties":false}`)).
				MustBuild(),
			arguments: `{"when":"now"}`,
		},
		"ConfirmWhen": {
			tool: n.payer("pay.now").ConfirmWhen(func(payInput) bool { explode(); return false }).MustBuild(), arguments: validPay,
		},
		"Resolve": {
			tool: n.payer("pay.now").Resolve(contract.Least{}, func(payInput) contract.Resolution {
				explode()
				return contract.Resolution{}
			}).MustBuild(),
			arguments: validPay,
		},
		"the authorizer": {
			tool: n.payer("pay.now").MustBuild(), arguments: validPay,
			opts: []guard.Option{guard.WithAuthorizer(func(context.Context, guard.Action) error { explode(); return nil })},
		},
		"the principal function": {
			tool: n.payer("pay.now").MustBuild(), arguments: validPay,
			opts: []guard.Option{guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal,
				error) {
				explode()
				return guard.Principal{}, nil
			}))},
		},
		"the store": {
			tool: n.managedPayer("pay.now", byArguments, nil).MustBuild(), arguments: validPay,
			opts: []guard.Option{guard.WithStore(explodingStore{memory})},
		},
		"the limiter": {
			tool: n.payer("pay.now").MustBuild(), arguments: validPay,
			opts: []guard.Option{guard.WithLimiter(explodingLimiter{})},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &serverLog{}
			k := newKit(t, []*contract.Tool{tc.tool}, append(tc.opts, log.option())...)
			r := k.call(alice, "pay.now", tc.arguments)
			assert.NotContains(t, wire(t, r), "explode")
			events, err := json.Marshal(k.events(audit.Terminal))
			require.NoError(t, err)
			assert.NotContains(t, string(events), "explode")
			lines := log.lines(t)
			require.NotEmpty(t, lines, "the panic is not in the log")
			for _, line := range lines {
				assert.Equal(t, "ERROR", line.Level)
				assert.Equal(t, "pay.now", line.Tool)
				assert.NotEmpty(t, line.CallID)
				assert.Contains(t, line.Stack, "guard_test.explode\n")
				assert.Contains(t, line.Stack, "log_test.go:")
			}
		})
	}
}

func TestPanic_SinkIsLoggedToo(t *testing.T) {
	t.Parallel()
	log := &serverLog{}
	k := newKit(t, []*contract.Tool{reader("time.read", func(context.Context) (string, error) { return "", nil }).MustBuild()},
		guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { explode(); return nil })), log.option())
	k.call(alice, "time.read", "")
	_ = k.guard.Close(t.Context()) // whatever it reports
	lines := log.lines(t)
	require.NotEmpty(t, lines)
	assert.Contains(t, lines[0].Stack, "guard_test.explode\n")
}

// A panic may hold what the caller sent.
func TestPanic_SensitiveArgumentIsNotInTheLog(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-n0te"
	log := &serverLog{}
	tool := contract.New("pay.now", func(_ context.Context, in payInput) (payOutput,
		error) {
		panic("no " + in.Note)
	}).From(writing()).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, log.option())
	k.call(alice, "pay.now", `{"pay":{"amount":10},"note":"`+secret+`"}`)
	lines := log.lines(t)
	require.Len(t, lines, 1)
	assert.Equal(t, "panic: no [redacted]", lines[0].Error)
	assert.NotContains(t, lines[0].Stack, secret)
}

// Before the arguments are read, their values cannot be recognised.
func TestPanic_TextBeforeValidationIsNotInTheLog(t *testing.T) {
	t.Parallel()
	log := &serverLog{}
	tool := reader("time.read", func(context.Context) (string, error) { return "", nil }).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, log.option(),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { panic(errors.New("Bearer t0ken")) })))
	k.call(alice, "time.read", "")
	lines := log.lines(t)
	require.Len(t, lines, 1)
	assert.Equal(t, "panic: a value of type *errors.errorString", lines[0].Error)
}

// A principal function of this library is called without a goroutine of its own
// after its first success.
func TestPanic_OfAnImmediatePrincipalFunctionNamesItsCall(t *testing.T) {
	t.Parallel()
	log := &serverLog{}
	calls := 0
	find := func(context.Context) (guard.Principal, error) {
		if calls++; calls > 1 {
			explode()
		}
		return alice, nil
	}
	k := newKit(t, []*contract.Tool{reader("time.read", func(context.Context) (string, error) { return "", nil }).MustBuild()},
		log.option(), guard.WithPrincipal(atOnce{find}))
	k.call(alice, "time.read", "")
	r := k.call(alice, "time.read", "")
	refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
	lines := log.lines(t)
	require.Len(t, lines, 1)
	assert.Equal(t, "time.read", lines[0].Tool)
	assert.Equal(t, r.Outcome.CallID, lines[0].CallID)
}

type panickingHandler struct{ slog.Handler }

func (panickingHandler) Enabled(context.Context, slog.Level) bool { panic("no log") }

func TestPanic_LoggerThatPanicsBreaksNoCall(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{writer("pay.now", func(context.Context) error { explode(); return nil }).MustBuild()},
		guard.WithLogger(slog.New(panickingHandler{})))
	refused(t, k.call(alice, "pay.now", ""), contract.CodeInternalError, contract.ClassFatal)
}

func TestPanic_EndedGoroutineHasNoStack(t *testing.T) {
	t.Parallel()
	log := &serverLog{}
	k := newKit(t, []*contract.Tool{writer("pay.now",
		func(context.Context) error { runtime.Goexit(); return nil }).Timeout(time.Minute).MustBuild()}, log.option())
	refused(t, k.call(alice, "pay.now", ""), contract.CodeInternalError, contract.ClassFatal)
	assert.Empty(t, log.lines(t))
}
