package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

// An approval that was given while its call waited is kept if the call never
// began: for the same call, in the same session, once, for as long as a
// question lives.
func TestKeptApproval_CountsForTheSameCallOnce(t *testing.T) {
	t.Parallel()
	type attempt struct {
		who                guard.Principal
		session, arguments string
	}
	first := attempt{alice, "s1", validPay}
	other := bob
	other.Permissions = alice.Permissions
	for name, tc := range map[string]struct {
		first, second attempt
		wait          time.Duration
		asked         int64
	}{
		"the same call":                     {first, first, 0, 1},
		"the last instant":                  {first, first, guard.DefaultQuestionTTL - 1, 1},
		"the question would have expired":   {first, first, guard.DefaultQuestionTTL, 2},
		"another session":                   {first, attempt{alice, "s2", validPay}, 0, 2},
		"another principal":                 {first, attempt{other, "s1", validPay}, 0, 2},
		"other arguments":                   {first, attempt{alice, "s1", `{"pay":{"amount":11}}`}, 0, 2},
		"no session":                        {attempt{alice, "", validPay}, attempt{alice, "", validPay}, 0, 1},
		"the same arguments in other bytes": {first, attempt{alice, "s1", `{ "pay": { "amount": 1e1 } }`}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var down atomic.Bool
				sink := guard.WithAudit(audit.Func(func(context.Context, audit.Event) error {
					if down.Load() {
						return errors.New("disk full")
					}
					return nil
				}))
				n, asked := &counter{}, atomic.Int64{}
				k := newKit(t, []*contract.Tool{n.payer("pay.now").Risk(risk.High).ConfirmAlways().MustBuild()}, sink)
				call := func(a attempt) *guard.Result {
					r, err := k.set.Call(as(t.Context(), a.who), guard.Request{
						Tool: "pay.now", Arguments: json.RawMessage(a.arguments),
						Client: guard.Client{
							Session: a.session,
							Ask: func(context.Context, people.Question) (json.RawMessage, error) {
								asked.Add(1)
								return json.RawMessage(confirmed), nil
							},
						},
					})
					require.NoError(t, err)
					return r
				}
				down.Store(true)
				refused(t, call(tc.first), contract.CodeUnavailable, contract.ClassRetryable)
				down.Store(false)
				time.Sleep(tc.wait)
				require.False(t, call(tc.second).IsError)
				assert.Equal(t, tc.asked, asked.Load())
				require.False(t, call(tc.second).IsError)
				assert.Equal(t, tc.asked+1, asked.Load(), "an approval that was used does not count again")
				assert.EqualValues(t, 2, n.runs.Load())
				k.closeAfterLosses()
			})
		})
	}
}
