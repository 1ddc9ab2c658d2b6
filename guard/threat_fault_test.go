package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/risk"
)

// An approved is a call that a person approves, in one of the ways to ask.
type approved struct {
	tool    *contract.Tool
	runs    *counter // counts the runs of tool
	options func(*door, *page) []guard.Option
	begin   approvedCall
}

// An approvedCall asks the person and returns the call that uses the approval.
// Every call of it is the same. It calls arm after the approval and before the
// approval is used.
type approvedCall func(t *testing.T, k *kit, d *door, p *page, arm func()) func() *guard.Result

// asksOnce returns an Asker that approves. If it is called again, the test
// fails.
func asksOnce(t *testing.T, answer string, then func(people.Question)) people.Asker {
	t.Helper()
	asked := false
	return func(_ context.Context, q people.Question) (json.RawMessage, error) {
		assert.False(t, asked, "the person was asked again")
		asked = true
		then(q)
		return json.RawMessage(answer), nil
	}
}

func inRounds(t *testing.T, k *kit, _ *door, _ *page, arm func()) func() *guard.Result {
	t.Helper()
	q := k.asked(payNow)
	arm()
	return func() *guard.Result {
		r, err := k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		return r
	}
}

func withinTheCall(t *testing.T, k *kit, _ *door, _ *page, arm func()) func() *guard.Result {
	t.Helper()
	req := guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{Session: "s1", Ask: asksOnce(t, confirmed, func(people.Question) { arm() })},
	}
	return func() *guard.Result {
		r, err := k.set.Call(as(t.Context(), alice), req)
		require.NoError(t, err)
		return r
	}
}

func byAnApprover(t *testing.T, k *kit, d *door, _ *page, arm func()) func() *guard.Result {
	t.Helper()
	waits(t, k.call(alice, "pay.now", validPay))
	q, _ := d.last(t)
	k.decide(q, true)
	arm()
	return func() *guard.Result {
		r := k.call(alice, "pay.now", validPay)
		_, asked := d.last(t)
		assert.Equal(t, 1, asked, "the person was asked again")
		return r
	}
}

func byStepUpInRounds(t *testing.T, k *kit, _ *door, _ *page, arm func()) func() *guard.Result {
	t.Helper()
	form := payNow.with(k.urlRound(payNow).State, confirmed)
	form.answerKey = people.ConfirmKey
	q := sent(t, k.urlRound(form))
	require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
	arm()
	return func() *guard.Result { return k.urlRound(payNow.opened(q.State, accepted)) }
}

func byStepUpWithinTheCall(t *testing.T, k *kit, _ *door, _ *page, arm func()) func() *guard.Result {
	t.Helper()
	req := guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			Session: "s1", Ask: asksOnce(t, confirmed, func(people.Question) {}),
			AskURL: asksOnce(t, accepted, func(q people.Question) {
				assert.NoError(t, k.guard.People().CompleteStepUp(context.WithoutCancel(t.Context()), q.ID, strong(alice)))
				arm()
			}),
		},
	}
	return func() *guard.Result {
		r, err := k.set.Call(as(t.Context(), alice), req)
		require.NoError(t, err)
		return r
	}
}

func withDryRun(t *testing.T, k *kit, _ *door, _ *page, arm func()) func() *guard.Result {
	t.Helper()
	preview := k.call(alice, "pay.now", `{"pay":{"amount":10},"dryRun":true}`)
	var token struct{ DryRunToken string }
	require.NoError(t, json.Unmarshal(preview.Structured, &token), preview.Text)
	call := payNow
	call.arguments = fmt.Sprintf(`{"pay":{"amount":10},"dryRunToken":%q}`, token.DryRunToken)
	q := k.asked(call)
	arm()
	return func() *guard.Result {
		r, err := k.round(call.with(q.State, confirmed))
		require.NoError(t, err)
		return r
	}
}

// approvedWays returns every way in which a person approves a call, for tools
// with and without a record of their own.
func approvedWays() map[string]approved {
	type builder = *contract.Builder[payInput, payOutput]
	plain := func(b builder) builder { return b }
	managed := func(b builder) builder { return b.Idempotency(refusing(byArguments)) }
	none := func(*door, *page) []guard.Option { return nil }
	ways := map[string]approved{}
	for name, own := range map[string]func(builder) builder{"": plain, ", managed": managed} {
		way := func(extra func(builder) builder, options func(*door, *page) []guard.Option, begin approvedCall) approved {
			n := &counter{}
			b := own(n.payer("pay.now").Risk(risk.High).ConfirmAlways())
			return approved{extra(b).MustBuild(), n, options, begin}
		}
		ways["in rounds"+name] = way(plain, none, inRounds)
		ways["within the call"+name] = way(plain, none, withinTheCall)
		ways["by an approver"+name] = way(plain, func(d *door, _ *page) []guard.Option {
			return []guard.Option{guard.WithPeople(guard.PeopleOptions{Approver: d})}
		}, byAnApprover)
		page := func(_ *door, p *page) []guard.Option {
			return []guard.Option{guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address})}
		}
		stepUp := func(b builder) builder { return b.StepUp(demand) }
		ways["by a form and step-up in rounds"+name] = way(stepUp, page, byStepUpInRounds)
		ways["by a form and step-up within the call"+name] = way(stepUp, page, byStepUpWithinTheCall)
		ways["in rounds after a dry run"+name] = way(previewing, none, withDryRun)
	}
	return ways
}

func previewing(b *contract.Builder[payInput, payOutput]) *contract.Builder[payInput, payOutput] {
	return b.DryRun(dryrun.By(previewPay).Required())
}

// runsOnce drives one approved call through a fault: the call that meets the
// fault, and its repetitions after heal.
func (w approved) runsOnce(t *testing.T, s *faultystore.Store, sink guard.Option, arm, heal func()) {
	t.Helper()
	w.runs.runs.Store(0)
	d, p := &door{address: desk}, &page{}
	k := newKit(t, []*contract.Tool{w.tool}, append(w.options(d, p), guard.WithStore(s), sink)...)
	call := w.begin(t, k, d, p, arm)
	r := call()
	heal()
	for range 40 {
		if !r.IsError {
			break
		}
		require.Equal(t, contract.ClassRetryable, r.Outcome.Class, r.Text)
		time.Sleep(time.Second)
		r = call()
	}
	require.Contains(t, []contract.Status{contract.StatusOK, contract.StatusReplayed}, r.Outcome.Status, r.Text)
	assert.EqualValues(t, 1, w.runs.runs.Load())
	k.closeAfterLosses()
}

func TestThreat120_FaultOfTheStoreDoesNotSpendAnApproval(t *testing.T) {
	t.Parallel()
	faults := map[string]func(*faultystore.Store, faultystore.Operation, int, error){
		"request": (*faultystore.Store).FailBefore,
		"reply":   (*faultystore.Store).FailAfter,
	}
	silent := guard.WithAudit(&audit.Recorder{})
	for name, way := range approvedWays() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, op := range faultystore.Operations() {
				for what, fail := range faults {
					for index := range 3 {
						t.Run(fmt.Sprintf("the %s of %s %d is lost", what, op, index), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) {
								s := newFaulty(t)
								way.runsOnce(t, s, silent, func() { fail(s, op, s.Count(op)+index, nil) }, s.Heal)
							})
						})
					}
					t.Run(fmt.Sprintf("every %s of %s is lost for a while", what, op), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							s := newFaulty(t)
							way.runsOnce(t, s, silent, func() { fail(s, op, faultystore.Every, nil) }, s.Heal)
						})
					})
				}
			}
			t.Run("the reply of the mark is lost, and no release arrives for a while", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newFaulty(t)
					way.runsOnce(t, s, silent, func() {
						s.FailAfter(faultystore.Mark, s.Count(faultystore.Mark), nil)
						s.FailBefore(faultystore.Release, faultystore.Every, nil)
					}, s.Heal)
				})
			})
			t.Run("the store is away from the mark on, longer than a claim lasts", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newFaulty(t)
					way.runsOnce(t, s, silent, func() {
						for _, op := range []faultystore.Operation{faultystore.Mark, faultystore.Release, faultystore.Renew} {
							s.FailBefore(op, faultystore.Every, nil)
						}
					}, func() { time.Sleep(2 * guard.DefaultLease); s.Heal() })
				})
			})
		})
	}
}

func TestThreat120_FaultOfTheAuditLogDoesNotSpendAnApproval(t *testing.T) {
	t.Parallel()
	for name, way := range approvedWays() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var down atomic.Bool
				refused := 0
				sink := guard.WithAudit(audit.Func(func(context.Context, audit.Event) error {
					if down.Load() {
						refused++
						return errors.New("disk full")
					}
					return nil
				}))
				way.runsOnce(t, newFaulty(t), sink, func() { down.Store(true) }, func() { down.Store(false) })
				assert.Positive(t, refused)
			})
		})
	}
}
