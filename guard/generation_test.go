package guard_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/store"
)

// A keyLog records the keys that a handler passes on.
type keyLog struct {
	mu   sync.Mutex
	keys []string
	ids  []string
	err  error // what the handler returns
}

func (l *keyLog) run(ctx context.Context, in payInput) (payOutput, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key, _ := guard.IdempotencyKey(ctx)
	id, _ := guard.OperationID(ctx)
	l.keys, l.ids = append(l.keys, key), append(l.ids, id)
	return payOutput{in.Pay.Amount}, l.err
}

func (l *keyLog) tools(i contract.Idempotency) []*contract.Tool {
	type undo struct{ Key map[string]any }
	return []*contract.Tool{
		contract.New("pay.now", l.run).From(writing()).Idempotency(i).OtherErrors(contract.ClassFatal).
			RetryBudget(100, time.Hour).MustBuild(),
		contract.New("pay.undo", func(ctx context.Context, in undo) (empty, error) {
			return empty{}, guard.Forget(ctx, "pay.now", in.Key)
		}).From(writing()).MustBuild(),
	}
}

const undoPay = `{"Key":{"pay":{"amount":10}}}`

// distinct asserts that all texts are set and differ.
func distinct(t *testing.T, texts []string) {
	t.Helper()
	assert.NotContains(t, texts, "")
	sorted := slices.Sorted(slices.Values(texts))
	assert.Len(t, slices.Compact(sorted), len(texts), "%v", texts)
}

var byPay = contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"pay"}}

// Each redo is an operation of its own, also after a key rotation and in another
// process.
func TestGeneration_RisesWithEachUndo(t *testing.T) {
	t.Parallel()
	l, memory := &keyLog{}, newMemory(t)
	for range 3 {
		k := newKit(t, l.tools(byPay), guard.WithStore(memory), sealing)
		r := k.call(alice, "pay.now", validPay)
		require.Equal(t, contract.StatusOK, r.Outcome.Status)
		assert.Equal(t, l.ids[len(l.ids)-1], r.Outcome.OperationID)
		assert.Equal(t, r.Outcome.OperationID, k.call(alice, "pay.now", validPay).Outcome.OperationID)
		require.False(t, k.call(alice, "pay.undo", undoPay).IsError)
		require.False(t, k.call(alice, "pay.undo", undoPay).IsError, "twice")
	}
	distinct(t, l.keys)
	distinct(t, l.ids)
}

// A redo that fails without an effect, or never begins, keeps its key.
func TestGeneration_StaysIfTheCallHadNoEffect(t *testing.T) {
	t.Parallel()
	l := &keyLog{}
	k := newKit(t, l.tools(byPay))
	k.call(alice, "pay.now", validPay)
	k.call(alice, "pay.undo", undoPay)
	l.err = errNoFunds
	assert.Equal(t, "no_funds", k.call(alice, "pay.now", validPay).Outcome.Code)
	assert.Equal(t, "no_funds", k.call(alice, "pay.now", validPay).Outcome.Code)
	l.err = nil
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
	require.Len(t, l.keys, 4)
	assert.NotEqual(t, l.keys[0], l.keys[1])
	assert.Equal(t, []string{l.keys[1], l.keys[1]}, l.keys[2:])
}

// The system may have the effect of the first call under its key.
func TestGeneration_OtherArgumentsAfterAnUnclearFailureHaveAnotherKey(t *testing.T) {
	t.Parallel()
	for _, onUnknown := range []idempotency.OnUnknown{idempotency.Refuse, idempotency.Rerun} {
		l, i := &keyLog{err: errors.New("unclear")}, byClientKey
		i.OnUnknown = onUnknown
		k := newKit(t, l.tools(i))
		call := func(amount int) *guard.Result { return k.callKeyed(alice, "pay.now", payOf(amount), "k1") }
		call(10)
		call(11)
		distinct(t, l.keys)
		again := call(10)
		if onUnknown == idempotency.Refuse {
			refused(t, again, contract.CodeOutcomeUnknown, contract.ClassFatal)
			continue
		}
		require.Len(t, l.keys, 3)
		assert.Equal(t, l.keys[0], l.keys[2], "a rerun is the same operation")
		l.err = nil
		assert.Equal(t, contract.StatusOK, call(10).Outcome.Status)
		assert.Equal(t, l.keys[0], l.keys[3])
	}
}

// After the rerun of the older one of two failed calls, no key is used again.
func TestGeneration_NeverFalls(t *testing.T) {
	t.Parallel()
	l := &keyLog{err: errors.New("unclear")}
	holds := false
	i := byClientKey
	i.OnUnknown = idempotency.Rerun
	tool := contract.New("pay.now", l.run).From(writing()).Idempotency(i).OtherErrors(contract.ClassFatal).
		RetryBudget(100, time.Hour).
		ReplayWhile(func(context.Context, payInput, payOutput) (bool, error) { return holds, nil }).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	call := func(amount int) { k.callKeyed(alice, "pay.now", payOf(amount), "k1") }
	call(10)
	call(11)
	l.err = nil
	call(10)
	call(10) // it no longer holds
	require.Len(t, l.keys, 4)
	assert.Equal(t, l.keys[0], l.keys[2])
	distinct(t, []string{l.keys[0], l.keys[1], l.keys[3]})
}

func TestGeneration_RisesWhenTheTimeOfAResultIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &keyLog{}
		tool := contract.New("pay.now", l.run).From(writing()).Idempotency(byPay).
			ReplayUntil(func(payInput, payOutput) time.Time { return time.Now().Add(time.Minute) }).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		k.call(alice, "pay.now", validPay)
		require.Equal(t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)
		time.Sleep(time.Minute)
		require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
		distinct(t, l.keys)
	})
}

// A process that died while it forgot a call leaves a record that the next call
// takes.
func TestGeneration_SurvivesACrashWhileACallIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &keyLog{}
		s := &deaf{Memory: newMemory(t)}
		k := newKit(t, l.tools(byPay), guard.WithStore(s), sealing)
		k.call(alice, "pay.now", validPay)
		s.deaf.Store(true)
		require.True(t, k.call(alice, "pay.undo", undoPay).IsError)
		s.deaf.Store(false)
		time.Sleep(time.Hour)
		require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
		distinct(t, l.keys)
	})
}

// The first key is what every earlier version passed on.
func TestGeneration_FirstKeyIsTheIDOfTheRecord(t *testing.T) {
	t.Parallel()
	l := &keyLog{}
	k := newKit(t, l.tools(byPay))
	k.call(alice, "pay.now", validPay)
	k.call(alice, "pay.undo", undoPay)
	k.call(alice, "pay.now", validPay)
	key, err := store.ParseKey(k.events("terminal")[0].LookupKey)
	require.NoError(t, err)
	assert.Equal(t, key.ID.String(), l.keys[0])
	assert.Len(t, l.keys[1], 64)
}

func byField(name string) contract.Idempotency {
	return contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{name}}
}

func TestOperationID_IsHiddenIfTheKeyWouldRevealASecret(t *testing.T) {
	t.Parallel()
	type secretInput struct {
		Name string
		PIN  string `contract:"secret"`
	}
	for name, c := range map[string]struct {
		i         contract.Idempotency
		arguments string
		hidden    bool
	}{
		"all arguments":         {byArguments, `{"Name":"Ada","PIN":"1234"}`, true},
		"a key field":           {byField("PIN"), `{"Name":"Ada","PIN":"1234"}`, true},
		"another key field":     {byField("Name"), `{"Name":"Ada","PIN":"1234"}`, false},
		"the key of the client": {byClientKey, `{"Name":"Ada","PIN":"1234"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := true
			tool := contract.New("pin.set", func(ctx context.Context, _ secretInput) (empty, error) {
				_, told = guard.OperationID(ctx)
				return empty{}, nil
			}).From(writing()).Idempotency(c.i).MustBuild()
			k := newKit(t, []*contract.Tool{tool})
			r := k.callKeyed(alice, "pin.set", c.arguments, "k1")
			require.Equal(t, contract.StatusOK, r.Outcome.Status)
			assert.Equal(t, c.hidden, r.Outcome.OperationID == "")
			assert.Equal(t, c.hidden, !told)
		})
	}
}

// A deaf store does not answer completions.
type deaf struct {
	*store.Memory

	deaf atomic.Bool
}

func (d *deaf) Complete(ctx context.Context, c store.Completion) error {
	if d.deaf.Load() {
		return errors.New("the store does not answer")
	}
	return d.Memory.Complete(ctx, c)
}

// An operator settles the rerun of the older one of two failed calls. The system
// may still have the effect of the other one under its key.
func TestGeneration_SettledRerunLeavesTheKeysOfOtherCallsAlone(t *testing.T) {
	t.Parallel()
	l, i := &keyLog{err: errors.New("unclear")}, byClientKey
	i.OnUnknown = idempotency.Rerun
	k := newKit(t, l.tools(i))
	call := func(amount int) *guard.Result { return k.callKeyed(alice, "pay.now", payOf(amount), "k1") }
	call(10)
	call(11)
	l.err = contract.Fatal("undeclared", "It may have had an effect.")
	call(10)
	var terminal []audit.Event
	require.Eventually(t, func() bool {
		terminal = k.log.Events(audit.Terminal)
		return len(terminal) == 3
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, k.guard.ResolveUnknown(as(t.Context(), carol), terminal[len(terminal)-1].LookupKey, store.DidNotHappen))
	l.err = nil
	last := call(12)
	require.Equal(t, contract.StatusOK, last.Outcome.Status, "%s", last.Text)
	require.Len(t, l.keys, 4)
	assert.Equal(t, l.keys[0], l.keys[2])
	assert.NotContains(t, l.keys[:3], l.keys[3])
}
