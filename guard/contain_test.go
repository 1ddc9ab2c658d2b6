package guard_test

import (
	"context"
	"encoding/json"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Errors with methods that panic.
type (
	asPanics     struct{ error }
	isPanics     struct{ error }
	unwrapPanics struct{ error }
)

func (asPanics) Error() string       { return "x" }
func (asPanics) As(any) bool         { panic("pq: as") }
func (isPanics) Error() string       { return "x" }
func (isPanics) Is(error) bool       { panic("pq: is") }
func (unwrapPanics) Error() string   { return "x" }
func (unwrapPanics) Unwrap() []error { panic("pq: unwrap") }

func TestThreat67_ErrorWithPanickingMethodsIsContained(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"As": asPanics{}, "Is": isPanics{}, "Unwrap": unwrapPanics{},
		"Error": panickingError{}, "Error, with itself": unprintableError{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := writer("pay.now", func(context.Context) error { return err }).OtherErrors(contract.ClassRetryable).MustBuild()
			k := newKit(t, []*contract.Tool{tool})
			r := k.call(alice, "pay.now", "")
			require.True(t, r.IsError)
			assert.NotContains(t, wire(t, r), "pq:")
			assert.Len(t, k.events(audit.Terminal), 1)

			n := &counter{}
			k = newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()},
				guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return alice, err })))
			r = k.call(alice, "pay.now", validPay)
			require.True(t, r.IsError)
			assert.NotContains(t, wire(t, r), "pq:")
			assert.Zero(t, n.runs.Load())
		})
	}
}

func TestThreat70_LateErrorWithPanickingMethodsIsContained(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := writer("pay.now",
			func(context.Context) error { time.Sleep(time.Minute); return asPanics{} }).Timeout(time.Second).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		refused(t, k.call(alice, "pay.now", ""), contract.CodeTimeout, contract.ClassFatal)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.NoError(t, k.guard.Close(t.Context()))
		assert.Len(t, k.log.Events(audit.Late), 1)
	})
}

// Types with JSON methods that end the goroutine.
type (
	deadIn  struct{}
	deadOut struct{}
)

func (*deadIn) UnmarshalText([]byte) error   { runtime.Goexit(); return nil }
func (deadOut) MarshalText() ([]byte, error) { runtime.Goexit(); return nil, nil }

// An unprintableError panics with itself, so that printing the value of the
// panic panics too.
type unprintableError struct{}

func (unprintableError) Error() string { panic(unprintableError{}) }

func TestThreat67_APanicWithAValueThatCannotBePrintedIsContained(t *testing.T) {
	t.Parallel()
	tool := writer("pay.now", func(context.Context) error { panic(unprintableError{}) }).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	refused(t, k.call(alice, "pay.now", ""), contract.CodeInternalError, contract.ClassFatal)
	assert.Len(t, k.events(audit.Terminal), 1)
}

func TestThreat67_GoexitOfAJSONMethodIsContained(t *testing.T) {
	t.Parallel()
	type in struct {
		D deadIn `json:"d"`
	}
	type out struct {
		D deadOut `json:"d"`
	}
	base := contract.Base{Description: "Reads.", Version: "1.0.0", Effect: risk.ReadOnly, Trust: trust.Trusted}
	k := newKit(t, []*contract.Tool{
		contract.New("dead.in", func(context.Context, in) (empty, error) { return empty{}, nil }).From(base).MustBuild(),
		contract.New("dead.out", func(context.Context, empty) (out, error) { return out{}, nil }).From(base).MustBuild(),
	})
	for tool, arguments := range map[string]string{"dead.in": `{"d":"x"}`, "dead.out": `{}`} {
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: tool, Arguments: json.RawMessage(arguments), Isolate: true})
		require.NoError(t, err)
		refused(t, r, contract.CodeInternalError, contract.ClassFatal)
	}
	assert.Len(t, k.events(audit.Terminal), 2)
}

func TestConfirmWhen_CannotChangeTheCall(t *testing.T) {
	t.Parallel()
	type in struct {
		To []string `json:"to"`
	}
	var got []string
	tool := contract.New("mail.send", func(_ context.Context, in in) (empty, error) { got = in.To; return empty{}, nil }).
		From(writing()).ConfirmWhen(func(in in) bool { in.To[0] = "eve"; return false }).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithAuthorizer(func(_ context.Context, a guard.Action) error {
		clear(a.Arguments)
		return nil
	}))
	require.False(t, k.call(alice, "mail.send", `{"to":["anna"]}`).IsError)
	require.False(t, k.call(alice, "mail.send", `{"to":["max"]}`).IsError)
	assert.Equal(t, []string{"max"}, got)
	events := k.events(audit.Terminal)
	assert.NotEqual(t, events[0].ArgumentsDigest, events[1].ArgumentsDigest)
}

func TestAudit_SinkThatEndsItsGoroutineIsCounted(t *testing.T) {
	t.Parallel()
	dead := audit.Func(func(context.Context, audit.Event) error { runtime.Goexit(); return nil })
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		n.high("pay.now").MustBuild(),
		reader("time.now", func(context.Context) (string, error) { return "", nil }).MustBuild(),
	}, guard.WithAudit(dead))
	for range 10 {
		require.False(t, k.call(alice, "time.now", "").IsError)
	}
	refused(t, k.call(alice, "pay.now", validPay), contract.CodeUnavailable, contract.ClassRetryable)
	require.Error(t, k.guard.Close(t.Context()))
	assert.EqualValues(t, 11, k.guard.Stats().AuditLost)
}

func TestAuthenticate_HangingSourceAccumulatesNoGoroutines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var inside atomic.Int64
		source := guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal,
			error) {
			inside.Add(1)
			<-release
			return alice, nil
		}))
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, source)
		for range 2000 {
			go k.call(alice, "pay.now", validPay)
		}
		time.Sleep(time.Minute)
		assert.LessOrEqual(t, inside.Load(), int64(1024))
		close(release)
		synctest.Wait()
	})
}
