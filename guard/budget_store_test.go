package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
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
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/store"
)

// A flaky tool returns the error that is set.
type flaky struct {
	counter
	err atomic.Pointer[contract.Error]
}

func (f *flaky) fails(err *contract.Error) { f.err.Store(err) }

func (f *flaky) run(context.Context, payInput) (payOutput, error) {
	f.runs.Add(1)
	if err := f.err.Load(); err != nil {
		return payOutput{}, err
	}
	return payOutput{1}, nil
}

// build builds the tool. A managed tool uses the client's key.
func (f *flaky) build(managed bool) *contract.Tool {
	b := contract.New("pay.now", f.run).From(writing())
	if managed {
		b = b.Idempotency(byClientKey)
	}
	return b.MustBuild()
}

// pay calls the tool with a fresh key.
func (k *kit) pay(who guard.Principal) *guard.Result {
	k.t.Helper()
	return k.callKeyed(who, "pay.now", validPay, fmt.Sprint(freshKey.Add(1)))
}

var freshKey atomic.Int64

var failNoFunds = errNoFunds.Errorf("the account is empty")

func eachStore(t *testing.T, test func(t *testing.T, backing store.Store, managed bool)) {
	t.Helper()
	for _, managed := range []bool{false, true} {
		t.Run(fmt.Sprintf("managed=%t", managed), func(t *testing.T) {
			t.Parallel()
			test(t, newMemory(t), managed)
		})
	}
}

func TestRetryBudget_ReplicasCountTogether(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, backing store.Store, managed bool) {
		onA, onB := &flaky{}, &flaky{}
		replica := func(f *flaky) *kit {
			f.fails(failNoFunds)
			return newKit(t, []*contract.Tool{f.build(managed)}, guard.WithStore(backing), sealing, guard.WithRetryBudget(3, time.Hour))
		}
		a, b := replica(onA), replica(onB)
		for range 2 {
			refused(t, a.pay(alice), "no_funds", contract.ClassRetryable)
		}
		onB.fails(nil)
		require.Equal(t, contract.StatusOK, b.pay(alice).Outcome.Status, "a success resets the count of all replicas")
		for range 3 {
			refused(t, a.pay(alice), "no_funds", contract.ClassRetryable)
		}
		refused(t, b.pay(alice), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
		assert.EqualValues(t, 1, onB.runs.Load(), "an exhausted call does not run")
		refused(t, a.pay(alice), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
		assert.EqualValues(t, 5, onA.runs.Load())
		require.Equal(t, contract.StatusOK, b.pay(carol).Outcome.Status, "another principal has its own budget")
		events := b.events(audit.Terminal)
		assert.Equal(t, "budget", events[1].Stage)
		assert.Equal(t, audit.Deny, events[1].Decision)
	})
}

func TestRetryBudget_BoundsConcurrentCalls(t *testing.T) {
	t.Parallel()
	const callers, retries = 100, 3
	together := func(kits [2]*kit, call func(k *kit)) {
		var group sync.WaitGroup
		for i := range callers {
			group.Go(func() { call(kits[i%2]) })
		}
		group.Wait()
	}
	eachStore(t, func(t *testing.T, backing store.Store, managed bool) {
		n := &counter{}
		fail := func(context.Context, payInput) error { return errNoFunds }
		tool := n.failing("pay.now", func() error { return errNoFunds })
		if managed {
			tool = n.managedPayer("pay.now", byArguments, fail).MustBuild()
		}
		var kits [2]*kit
		for i := range kits {
			kits[i] = newKit(t, []*contract.Tool{tool}, guard.WithStore(backing), sealing, guard.WithRetryBudget(retries, time.Hour))
		}
		together(kits, func(k *kit) {
			for {
				r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
				if !assert.NoError(t, err) || r.Outcome.Code == contract.CodeRetryBudgetExhausted {
					return
				}
			}
		})
		if managed {
			assert.EqualValues(t, retries, n.runs.Load(), "each call is counted before the next begins")
			return
		}
		ran := n.runs.Load()
		assert.GreaterOrEqual(t, ran, int64(retries))
		assert.Less(t, ran, int64(callers+retries), "all began within the budget")
		together(kits, func(k *kit) {
			refused(t, k.call(alice, "pay.now", validPay), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
		})
		assert.Equal(t, ran, n.runs.Load())
	})
}

func TestRetryBudget_OfAnAskingToolCountsAndResetsWithItsRecord(t *testing.T) {
	t.Parallel()
	n := &flaky{}
	backing := newFaulty(t)
	tool := contract.New("pay.now",
		n.run).From(writing()).Idempotency(byClientKey).ConfirmWhen(func(payInput) bool { return false }).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithStore(backing), sealing, guard.WithRetryBudget(2, time.Hour))
	for range 2 {
		n.fails(failNoFunds)
		refused(t, k.pay(alice), "no_funds", contract.ClassRetryable)
		n.fails(nil)
		require.Equal(t, contract.StatusOK, k.pay(alice).Outcome.Status)
	}
	assert.Equal(t, 4, backing.Count(faultystore.Max))
	assert.Zero(t, backing.Count(faultystore.Reset))
	n.fails(failNoFunds)
	k.pay(alice)
	k.pay(alice)
	refused(t, k.pay(alice), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
	assert.EqualValues(t, 6, n.runs.Load())
}

func TestRetryBudget_DryRunsOfAManagedToolCountSeparately(t *testing.T) {
	t.Parallel()
	n := &flaky{}
	broken := func(context.Context, payInput) (dryrun.Preview[payPreview], error) {
		return dryrun.Preview[payPreview]{}, errNoFunds
	}
	tool := contract.New("pay.now", n.run).From(writing()).Idempotency(byArguments).DryRun(dryrun.By(broken)).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithRetryBudget(1, time.Hour))
	refused(t, k.call(alice, "pay.now", dryPay), "no_funds", contract.ClassRetryable)
	refused(t, k.call(alice, "pay.now", dryPay), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)
}

func TestRetryBudget_ExhaustedCallNeedsNoPreview(t *testing.T) {
	t.Parallel()
	n := &flaky{}
	n.fails(failNoFunds)
	tool := contract.New("pay.now",
		n.run).From(writing()).Idempotency(byArguments).DryRun(dryrun.By(previewPay).Required()).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithRetryBudget(1, time.Hour))
	refused(t, k.call(alice, "pay.now", payWith(tokenOf(t, k.call(alice, "pay.now", dryPay)))), "no_funds", contract.ClassRetryable)
	refused(t, k.call(alice, "pay.now", validPay), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestRetryBudget_OutageRefusesNothingAndDelaysFew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &flaky{}
		n.fails(failNoFunds)
		backing := newFaulty(t)
		k := newKit(t, []*contract.Tool{n.build(false)}, guard.WithStore(backing), sealing, guard.WithRetryBudget(1, time.Hour))
		took := func() time.Duration {
			start := time.Now()
			refused(t, k.pay(alice), "no_funds", contract.ClassRetryable)
			return time.Since(start)
		}
		for _, op := range faultystore.Operations() {
			_, release := backing.Delay(op, faultystore.Every)
			defer release()
		}
		assert.Equal(t, guard.DefaultStoreTimeout, took(), "the first call waits")
		for range 20 {
			assert.Zero(t, took(), "later calls do not wait")
		}
		time.Sleep(15 * time.Second)
		var group sync.WaitGroup
		var held atomic.Int64
		for range 20 {
			group.Go(func() {
				if took() > 0 {
					held.Add(1)
				}
			})
		}
		group.Wait()
		assert.EqualValues(t, 1, held.Load(), "one call checks whether the outage is over")
		assert.Equal(t, 2, backing.Count(faultystore.Max))
		assert.Zero(t, backing.Count(faultystore.Add), "failures are not counted during the outage")

		backing.Heal()
		time.Sleep(15 * time.Second)
		took()
		refused(t, k.pay(alice), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestRetryBudget_OutageIsAudited(t *testing.T) {
	t.Parallel()
	n := &flaky{}
	backing := newFaulty(t)
	k := newKit(t, []*contract.Tool{n.build(false)}, guard.WithStore(backing), sealing)
	backing.FailBefore(faultystore.Max, 0, nil)
	require.Equal(t, contract.StatusOK, k.pay(alice).Outcome.Status)
	assert.Contains(t, k.events(audit.Terminal)[0].Error, faultystore.ErrFault.Error())
}

func TestRetryBudget_DisconnectedCallIsCountedAndIsNotAnOutage(t *testing.T) {
	t.Parallel()
	n := &flaky{}
	n.fails(failNoFunds)
	k := newKit(t, []*contract.Tool{n.build(false)}, guard.WithRetryBudget(2, time.Hour))
	gone, cancel := context.WithCancel(as(t.Context(), alice))
	cancel()
	for range 4 {
		_, err := k.set.Call(gone, guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
		require.NoError(t, err)
	}
	assert.EqualValues(t, 2, n.runs.Load())
}

// One failed operation costs at most one retry, and every call still gets an
// expected answer.
func TestRetryBudget_SingleFaultCostsAtMostOneRetry(t *testing.T) {
	t.Parallel()
	const retries = 3
	for _, managed := range []bool{false, true} {
		for _, op := range []faultystore.Operation{
			faultystore.Add, faultystore.Max, faultystore.Reset, faultystore.Claim, faultystore.Complete, faultystore.Release,
		} {
			for index := range 3 {
				for _, lost := range []string{"request", "reply"} {
					synctest.Test(t, func(t *testing.T) {
						n := &flaky{}
						backing := newFaulty(t)
						k := newKit(t, []*contract.Tool{n.build(managed)}, guard.WithStore(backing), sealing, guard.WithRetryBudget(retries,
							time.Hour))
						if lost == "request" {
							backing.FailBefore(op, index, nil)
						} else {
							backing.FailAfter(op, index, nil)
						}
						at := fmt.Sprintf("%s %d, the %s is lost, managed=%t", op, index, lost, managed)
						pay := func(allowed ...string) string {
							time.Sleep(time.Minute) // pending records are written, and an outage has ended
							code := k.pay(alice).Outcome.Code
							assert.Contains(t, append(allowed, contract.CodeUnavailable), code, at)
							return code
						}
						for range 2 {
							n.fails(failNoFunds)
							pay("no_funds")
							n.fails(nil)
							pay("")
							pay("") // in case the first success reset nothing
						}
						n.runs.Store(0)
						n.fails(failNoFunds)
						for range retries + 1 {
							pay("no_funds", contract.CodeRetryBudgetExhausted)
						}
						assert.Equal(t, contract.CodeRetryBudgetExhausted, pay(contract.CodeRetryBudgetExhausted), at)
						assert.LessOrEqual(t, n.runs.Load(), int64(retries+1), at)
						require.NoError(t, k.guard.Close(t.Context()))
					})
				}
			}
		}
	}
}
