package guard_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

func TestUndeclaredFailure_IsLoggedOnceWithItsRemedy(t *testing.T) {
	t.Parallel()
	other := contract.Retryable("over_limit", "The account is over its limit.")
	log := &serverLog{}
	k := newKit(t, []*contract.Tool{
		writer("pay.now", func(context.Context) error { return other }).MustBuild(),
		writer("pay.later", func(context.Context) error { return other.Errorf("4711") }).MustBuild(),
		writer("pay.never", func(context.Context) error { return errNoFunds }).MustBuild(),
	}, log.option())
	for range 3 {
		for _, tool := range []string{"pay.now", "pay.later", "pay.never"} {
			k.call(alice, tool, "")
		}
	}
	lines := log.lines(t)
	require.Len(t, lines, 2, "one line for each tool and code")
	for i, tool := range []string{"pay.now", "pay.later"} {
		assert.Equal(t, tool, lines[i].Tool)
		assert.Equal(t, "over_limit", lines[i].Code)
		assert.Equal(t, "WARN", lines[i].Level)
		assert.Contains(t, lines[i].Remedy, "Failures")
	}
	events := k.events(audit.Terminal)
	require.NotEmpty(t, events)
	assert.Equal(t, contract.CodeInternalError, events[0].Code)
	assert.Contains(t, events[0].Error, "over_limit")
}

func TestUndeclaredFailure_OfACancelledCallIsNotLogged(t *testing.T) {
	t.Parallel()
	other := contract.Retryable("over_limit", "The account is over its limit.")
	for tool, input := range map[string]string{"file.read": `{}`, "pay.now": validPay} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(as(t.Context(), alice))
			defer cancel()
			log := &serverLog{}
			k := newKit(t, []*contract.Tool{
				reader("file.read", func(context.Context) (string, error) { cancel(); return "", other }).MustBuild(),
				contract.New("pay.now", func(context.Context, payInput) (payOutput, error) {
					cancel()
					return payOutput{}, other
				}).From(writing()).Cancellable().MustBuild(),
			}, log.option())
			r, err := k.set.Call(ctx, guard.Request{Tool: tool, Arguments: json.RawMessage(input)})
			require.NoError(t, err)
			assert.Equal(t, contract.StatusCancelled, r.Outcome.Status, r.Text)
			assert.Empty(t, log.lines(t))
		})
	}
}

func TestUndeclaredFailure_UnderOtherErrorsIsNotLogged(t *testing.T) {
	t.Parallel()
	other := contract.Retryable("over_limit", "The account is over its limit.")
	log := &serverLog{}
	k := newKit(t, []*contract.Tool{
		reader("file.read", func(context.Context) (string, error) {
			return "", other
		}).OtherErrors(contract.ClassRetryable).MustBuild(),
	}, log.option())
	assert.Equal(t, contract.ClassRetryable, k.call(alice, "file.read", "").Outcome.Class)
	assert.Empty(t, log.lines(t))
}
