package guard_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
)

var errSettled = contract.Fatal("already_settled", "The account is settled.").EffectPossible()

// A check counts its calls and returns an error.
type check struct {
	calls int
	err   error
}

func (c *check) run(context.Context, payInput) error {
	c.calls++
	return c.err
}

func TestPrecheck_EndsACallBeforeAPersonIsAsked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fails func(context.Context) error
		code  string
		class contract.Class
	}{
		"a declared failure": {func(context.Context) error { return failNoFunds }, errNoFunds.Code(), contract.ClassRetryable},
		"a declared failure that may have had an effect": {func(context.Context) error { return errSettled.Errorf("it is") },
			errSettled.Code(), contract.ClassFatal},
		"an undeclared error": {func(context.Context) error { return errors.New("password hunter2") },
			contract.CodeInternalError, contract.ClassFatal},
		"a panic": {func(context.Context) error { panic("password hunter2") }, contract.CodeInternalError, contract.ClassFatal},
		"no answer in time": {func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, contract.CodeTimeout, contract.ClassFatal},
	} {
		for _, asks := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				n := &counter{}
				b := n.payer("pay.now").Failures(errNoFunds, errSettled).Timeout(50 * time.Millisecond).
					Precheck(func(ctx context.Context, _ payInput) error { return test.fails(ctx) })
				if asks {
					b = b.ConfirmAlways()
				}
				k := newKit(t, []*contract.Tool{b.MustBuild()})
				r, err := k.round(payNow)
				require.NoError(t, err)
				assert.Nil(t, r.Question)
				refused(t, r, test.code, test.class)
				assert.NotContains(t, r.Text, "Effects may have happened")
				assert.True(t, r.Outcome.NoEffect)
				assert.NotContains(t, wire(t, r), "hunter2")
				assert.Zero(t, n.runs.Load())
				event := k.events(audit.Terminal)[0]
				assert.Equal(t, "precheck", event.Stage)
			})
		}
	}
}

func TestPrecheck_RunsOnlyForACallThatCouldRun(t *testing.T) {
	t.Parallel()
	n, c := &counter{}, &check{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).Precheck(c.run).MustBuild()})
	refused(t, k.call(bob, "pay.now", validPay), contract.CodePermissionDenied, contract.ClassFatal)
	refused(t, k.call(alice, "pay.now", `{}`), contract.CodeInvalidInput, contract.ClassRetryable)
	assert.Zero(t, c.calls)

	first := k.call(alice, "pay.now", validPay)
	require.Equal(t, contract.StatusOK, first.Outcome.Status)
	c.err = failNoFunds // it would fail now, but it was done
	replayOf(t, first, k.call(alice, "pay.now", validPay))
	assert.Equal(t, 1, c.calls)
	refused(t, k.call(alice, "pay.now", `{"pay":{"amount":20}}`), errNoFunds.Code(), contract.ClassRetryable)
	c.err = nil
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", `{"pay":{"amount":20}}`).Outcome.Status, "nothing was recorded")
	assert.EqualValues(t, 2, n.runs.Load())
}

func TestPrecheck_RunsAgainWhenAPersonHasApproved(t *testing.T) {
	t.Parallel()
	n, c := &counter{}, &check{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").Precheck(c.run).MustBuild()})
	first := k.asked(payNow)
	c.err = failNoFunds
	r, err := k.round(payNow.with(first.State, confirmed))
	require.NoError(t, err)
	refused(t, r, errNoFunds.Code(), contract.ClassRetryable)
	assert.Zero(t, n.runs.Load())

	c.err = nil // the approval was not spent
	r, err = k.round(payNow.with(first.State, confirmed))
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
	assert.EqualValues(t, 1, n.runs.Load())
	assert.Equal(t, 3, c.calls)
}
