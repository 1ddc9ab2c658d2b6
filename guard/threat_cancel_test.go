package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// A read whose caller cancels is no failure, whatever error the handler makes
// of it. It locks no caller out.
func TestThreat130_CancelledReadIsNoFailure(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]func(context.Context) error{
		"the context's error": func(ctx context.Context) error { return ctx.Err() },
		"an error of its own": func(context.Context) error { return errors.New("pq: canceling statement due to user request") },
		"a declared failure":  func(context.Context) error { return errNoFunds },
		"an undeclared code":  func(context.Context) error { return errClosed },
	} {
		for _, isolate := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				started := make(chan struct{})
				hang := true
				tool := reader("file.read", func(ctx context.Context) (string, error) {
					if !hang {
						return "text", nil
					}
					started <- struct{}{}
					<-ctx.Done()
					return "", failure(ctx)
				}).Failures(errNoFunds).MustBuild()
				k := newKit(t, []*contract.Tool{tool})
				for range 10 {
					ctx, cancel := context.WithCancel(as(t.Context(), alice))
					go func() { <-started; cancel() }()
					r, err := k.set.Call(ctx, guard.Request{Tool: "file.read", Arguments: json.RawMessage(`{}`), Isolate: isolate})
					require.NoError(t, err)
					require.Equal(t, contract.StatusCancelled, r.Outcome.Status, r.Text)
					require.True(t, r.IsError)
					require.Empty(t, r.Outcome.Code)
				}
				hang = false
				require.False(t, k.call(alice, "file.read", "").IsError)
				events := k.events(audit.Terminal)
				require.Len(t, events, 11)
				for _, e := range events[:10] {
					assert.Equal(t, "cancelled", e.Status)
					assert.Equal(t, "cancelled", e.Code)
					assert.Equal(t, audit.Allow, e.Decision)
					assert.Equal(t, "run", e.Stage)
					assert.Empty(t, e.Class)
				}
			})
		}
	}
}

// A panic is a fault of the tool, also after its caller has left.
func TestCancelled_PanicIsAFailure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(as(t.Context(), alice))
	tool := reader("file.read", func(context.Context) (string, error) { cancel(); panic("boom") }).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	r, err := k.set.Call(ctx, guard.Request{Tool: "file.read", Arguments: json.RawMessage(`{}`)})
	require.NoError(t, err)
	refused(t, r, contract.CodeInternalError, contract.ClassFatal)
}

func TestCancelled_WriteThatEndsWithItsCallerKeepsADeclaredFailure(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		failure error
		status  contract.Status
	}{
		"a declared failure": {errNoFunds, contract.StatusError},
		"another error":      {errSecret, contract.StatusCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(as(t.Context(), alice))
			tool := contract.New("pay.now", func(context.Context, payInput) (payOutput, error) {
				cancel()
				return payOutput{}, tt.failure
			}).From(writing()).Cancellable().MustBuild()
			k := newKit(t, []*contract.Tool{tool})
			r, err := k.set.Call(ctx, guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
			require.NoError(t, err)
			assert.Equal(t, tt.status, r.Outcome.Status)
		})
	}
}
