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
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

// A call whose dry run fails with a declared failure would fail too, so no
// person is asked about it, in no way of asking.
func TestFailedDryRun_IsAnsweredBeforeAPersonIsAsked(t *testing.T) {
	t.Parallel()
	failing := func(n *counter, err error) *contract.Builder[payInput, payOutput] {
		return n.payer("pay.now").DryRun(dryrun.By(func(context.Context, payInput) (dryrun.Preview[payPreview], error) {
			return dryrun.Preview[payPreview]{}, err
		}))
	}
	never := func(t *testing.T) people.Asker {
		t.Helper()
		return func(context.Context, people.Question) (json.RawMessage, error) {
			assert.Fail(t, "a person was asked")
			return json.RawMessage(declined), nil
		}
	}
	noFunds := errNoFunds.Errorf("The account has 3 left.").At("/pay/amount")
	for name, call := range map[string]func(t *testing.T, n *counter) (*kit, *guard.Result){
		"in rounds": func(t *testing.T, n *counter) (*kit, *guard.Result) {
			k := newKit(t, []*contract.Tool{failing(n, noFunds).ConfirmAlways().MustBuild()})
			r, err := k.round(payNow)
			require.NoError(t, err)
			return k, r
		},
		"within the call": func(t *testing.T, n *counter) (*kit, *guard.Result) {
			k := newKit(t, []*contract.Tool{failing(n, noFunds).ConfirmAlways().MustBuild()})
			r, err := k.set.Call(as(t.Context(), alice), guard.Request{
				Tool: "pay.now", Arguments: json.RawMessage(validPay),
				Client: guard.Client{Ask: never(t)},
			})
			require.NoError(t, err)
			return k, r
		},
		"by an approver": func(t *testing.T, n *counter) (*kit, *guard.Result) {
			k, d := approvals(t, failing(n, noFunds).ConfirmAlways().MustBuild())
			r := k.call(alice, "pay.now", validPay)
			assert.Empty(t, d.asked)
			return k, r
		},
		"by step-up": func(t *testing.T, n *counter) (*kit, *guard.Result) {
			p := &page{}
			k := newKit(t, []*contract.Tool{failing(n, noFunds).StepUp(demand).MustBuild()},
				guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
			r := k.urlRound(payNow)
			assert.Empty(t, p.seen)
			return k, r
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k, r := call(t, n)
			refused(t, r, "no_funds", contract.ClassRetryable)
			assert.Contains(t, r.Text, "The account has 3 left.")
			require.Len(t, r.Outcome.Violations, 1)
			assert.Equal(t, "/pay/amount", r.Outcome.Violations[0].Pointer)
			assert.Zero(t, n.runs.Load())
			ends := k.events(audit.Terminal)
			require.Len(t, ends, 1)
			assert.Equal(t, audit.Deny, ends[0].Decision)
			assert.Equal(t, "no_funds", ends[0].Code)
			assert.Empty(t, k.log.Events(audit.Asked))
		})
	}
	t.Run("an undeclared failure is only noted in the question", func(t *testing.T) {
		t.Parallel()
		n := &counter{}
		for _, err := range []error{errors.New("no route to host"), contract.Fatal("undeclared", "It is not declared.")} {
			k := newKit(t, []*contract.Tool{failing(n, err).ConfirmAlways().MustBuild()})
			k.asked(payNow)
		}
	})
}
