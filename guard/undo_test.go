package guard_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A payments system pays and takes payments back.
type payments struct {
	counter

	mu     sync.Mutex
	voided map[int64]bool
	fails  atomic.Pointer[func() (bool, error)] // in place of the answer whether a payment holds
	asked  atomic.Int64
}

func newPayments() *payments { return &payments{voided: map[int64]bool{}} }

func (p *payments) void(paid int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.voided[paid] = true
}

func (p *payments) holds(_ context.Context, in payInput, out payOutput) (bool, error) {
	p.asked.Add(1)
	if f := p.fails.Load(); f != nil {
		return (*f)()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.voided[out.Paid] && in.Pay.Amount == 10, nil
}

// pay returns a tool that pays. Each payment has another number.
func (p *payments) pay(i contract.Idempotency) *contract.Builder[payInput, payOutput] {
	return p.managedPayer("pay.now", i, nil).ReplayWhile(p.holds)
}

func TestUndo_CallWhoseResultNoLongerHoldsRunsAgain(t *testing.T) {
	t.Parallel()
	for name, i := range map[string]contract.Idempotency{
		"by all arguments":    byArguments,
		"by the client's key": byClientKey,
		"by a field":          {Mode: idempotency.Managed, KeyFields: []string{"pay"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPayments()
			k := newKit(t, []*contract.Tool{p.pay(i).MustBuild()})
			call := func() *guard.Result { return k.callKeyed(alice, "pay.now", validPay, "k1") }
			first := call()
			replayOf(t, first, call())
			p.void(10)
			second := call()
			assert.Equal(t, contract.StatusOK, second.Outcome.Status)
			assert.NotEqual(t, first.Structured, second.Structured)
			replayOf(t, second, call())
			assert.EqualValues(t, 2, p.runs.Load())
		})
	}
}

func TestThreat154_ResultThatCannotBeCheckedIsNeitherReplayedNorRunAgain(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func() (bool, error){
		"an error":           func() (bool, error) { return false, errors.New("the books are closed") },
		"an error with true": func() (bool, error) { return true, errors.New("the books are closed") },
		"a panic":            func() (bool, error) { panic("the books are closed") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPayments()
			k := newKit(t, []*contract.Tool{p.pay(byArguments).MustBuild()}, guard.WithStoreFailOpen())
			first := k.call(alice, "pay.now", validPay)
			p.fails.Store(&f)
			r := k.call(alice, "pay.now", validPay)
			refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
			assert.NotContains(t, wire(t, r), "books")
			p.fails.Store(nil)
			replayOf(t, first, k.call(alice, "pay.now", validPay))
			assert.EqualValues(t, 1, p.runs.Load())
		})
	}
}

func TestThreat154_ManyCallsAfterAnUndoAreOneExecution(t *testing.T) {
	t.Parallel()
	p := newPayments()
	k := newKit(t, []*contract.Tool{p.pay(byArguments).MustBuild()}, unlimited)
	k.call(alice, "pay.now", validPay)
	p.void(10)
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() { k.call(alice, "pay.now", validPay) })
	}
	calls.Wait()
	assert.EqualValues(t, 2, p.runs.Load())
}

func TestUndo_PersonIsAskedAboutTheSecondCall(t *testing.T) {
	t.Parallel()
	p := newPayments()
	k := newKit(t, []*contract.Tool{p.pay(byArguments).ConfirmAlways().MustBuild()})
	confirm := func() *guard.Result {
		r, err := k.round(payNow.with(k.asked(payNow).State, confirmed))
		require.NoError(t, err)
		return r
	}
	first := confirm()
	require.Equal(t, contract.StatusOK, first.Outcome.Status, first.Text)
	replayOf(t, first, k.call(alice, "pay.now", validPay))
	p.void(10)
	assert.Equal(t, contract.StatusOK, confirm().Outcome.Status)
	assert.EqualValues(t, 2, p.runs.Load())
}

func TestUndo_OnlyASuccessCanEnd(t *testing.T) {
	t.Parallel()
	p := newPayments()
	tool := p.managedPayer("pay.now", byArguments, func(context.Context, payInput) error { return errClosed }).ReplayWhile(p.holds)
	k := newKit(t, []*contract.Tool{tool.MustBuild()})
	k.call(alice, "pay.now", validPay)
	k.call(alice, "pay.now", validPay)
	assert.Zero(t, p.asked.Load())
	assert.EqualValues(t, 1, p.runs.Load())
}

func TestUndo_FunctionGetsEveryKindOfResult(t *testing.T) {
	t.Parallel()
	endsWith(t, "a text", "a text")
	endsWith(t, "a pointer", &payOutput{7})
	endsWith(t, "a map", map[string]any{"paid": "7"})
	endsWith(t, "nothing", struct{}{})
}

// endsWith asserts that the function of a tool gets the result of its handler.
func endsWith[Out any](t *testing.T, name string, out Out) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		build := func(handler contract.Handler[empty, Out]) *contract.Builder[empty, Out] {
			return contract.New("say.it", handler).Description("Returns.").Version("1.0.0").Effect(risk.LowRiskWrite).
				Trust(trust.Untrusted).Permissions("mail:send").Idempotency(byArguments)
		}
		tool := build(func(context.Context, empty) (Out, error) { return out, nil }).
			ReplayWhile(func(_ context.Context, _ empty, got Out) (bool, error) {
				assert.Equal(t, out, got)
				return false, nil
			}).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		for range 2 {
			assert.Equal(t, contract.StatusOK, k.call(alice, "say.it", `{}`).Outcome.Status)
		}
	})
}

func TestUndo_FunctionGetsTheResultInsideAReply(t *testing.T) {
	t.Parallel()
	tool := contract.New("say.it", func(context.Context, empty) (contract.Reply[payOutput], error) {
		return contract.Reply[payOutput]{Out: payOutput{7}, Content: []contract.Content{contract.TextContent{Text: "paid"}}}, nil
	}).From(writing()).Idempotency(byArguments).
		ReplayWhile(func(_ context.Context, _ empty, got contract.Reply[payOutput]) (bool, error) {
			assert.Equal(t, contract.Reply[payOutput]{Out: payOutput{7}}, got)
			return false, nil
		}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for range 2 {
		assert.Equal(t, contract.StatusOK, k.call(alice, "say.it", `{}`).Outcome.Status)
	}
}

func TestRetention_OfAGuessedKeyIsShorterOnceTheOutcomeIsKnown(t *testing.T) {
	t.Parallel()
	day := contract.Idempotency{Mode: idempotency.Managed, Retention: 48 * time.Hour}
	minute := contract.Idempotency{Mode: idempotency.Managed, ClientKey: true, ArgumentsRetention: time.Minute}
	field := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"pay"}}
	key := "k1"
	for name, c := range map[string]struct {
		i     contract.Idempotency
		key   *string
		fails error
		lives time.Duration
	}{
		"all arguments": {byArguments, nil, nil, 15 * time.Minute},
		"all arguments for want of a client's key":  {byClientKey, nil, nil, 15 * time.Minute},
		"a key that the contract does not take":     {byArguments, &key, nil, 15 * time.Minute},
		"a key of the client":                       {byClientKey, &key, nil, 24 * time.Hour},
		"a key field":                               {field, nil, nil, 24 * time.Hour},
		"a retention of its own":                    {minute, nil, nil, time.Minute},
		"a key of the client beside it":             {minute, &key, nil, 24 * time.Hour},
		"a declared retention":                      {day, nil, nil, 48 * time.Hour},
		"all arguments, after a fatal failure":      {byArguments, nil, errClosed, 15 * time.Minute},
		"all arguments, after an unknown outcome":   {byArguments, nil, errors.New("no"), 24 * time.Hour},
		"a client's key, after an unknown outcome":  {byClientKey, &key, errors.New("no"), 24 * time.Hour},
		"its own retention, and an unknown outcome": {minute, nil, errors.New("no"), 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				k := newKit(t, []*contract.Tool{
					n.managedPayer("pay.now", refusing(c.i), func(context.Context, payInput) error { return c.fails }).MustBuild(),
				})
				call := func() {
					_, err := k.set.Call(as(t.Context(), alice), guard.Request{
						Tool: "pay.now", Arguments: []byte(validPay), IdempotencyKey: c.key,
					})
					require.NoError(t, err)
				}
				call()
				time.Sleep(c.lives - time.Nanosecond)
				call()
				assert.EqualValues(t, 1, n.runs.Load())
				time.Sleep(time.Hour) // an unknown outcome is kept for as long as its claim could be renewed, too
				call()
				assert.EqualValues(t, 2, n.runs.Load())
				require.NoError(t, k.guard.Close(t.Context()))
			})
		})
	}
}

type voidInput struct {
	Key map[string]any `json:"key"`
}

// voider returns a tool that forgets a call of a tool, and the error of that.
func voider(tool string) (*contract.Tool, *error) {
	failed := new(error)
	return contract.New("void.now", func(ctx context.Context, in voidInput) (struct{}, error) {
		*failed = guard.Forget(ctx, tool, in.Key)
		return struct{}{}, nil
	}).From(writing()).MustBuild(), failed
}

func TestForget_CallRunsAgain(t *testing.T) {
	t.Parallel()
	field := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"pay"}}
	for name, c := range map[string]struct {
		i     contract.Idempotency
		fails error
		then  string
	}{
		"by all arguments":         {byArguments, nil, validPay},
		"by the client's key":      {byClientKey, nil, validPay},
		"by a field":               {field, nil, validPay},
		"by a field, corrected":    {field, nil, `{"pay":{"amount":10},"note":"again"}`},
		"an unknown outcome":       {refusing(field), errors.New("no"), validPay},
		"a fatal failure":          {field, errClosed, validPay},
		"nothing was there before": {field, errNoFunds, validPay},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			pay := contract.New("pay.now", func(context.Context, notedPay) (payOutput, error) {
				return payOutput{n.runs.Add(1)}, c.fails
			}).From(writing()).Idempotency(c.i).Aliases("pay.it").MustBuild()
			void, failed := voider("pay.it")
			k := newKit(t, []*contract.Tool{pay, void})
			k.call(alice, "pay.now", validPay)
			k.call(alice, "void.now", `{"key":`+validPay+`}`)
			require.NoError(t, *failed)
			k.call(alice, "pay.now", c.then)
			assert.EqualValues(t, 2, n.runs.Load())
		})
	}
}

type notedPay struct {
	payInput

	Note string `json:"note,omitempty"`
}

func TestForget_OfAnotherPrincipalChangesNothing(t *testing.T) {
	t.Parallel()
	n := &counter{}
	void, failed := voider("pay.now")
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).MustBuild(), void})
	first := k.call(alice, "pay.now", validPay)
	k.call(carol, "void.now", `{"key":`+validPay+`}`)
	require.NoError(t, *failed)
	replayOf(t, first, k.call(alice, "pay.now", validPay))
}

func TestForget_RefusesWhatItCannotForget(t *testing.T) {
	t.Parallel()
	field := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"pay"}}
	started, end := make(chan struct{}), make(chan struct{})
	n := &counter{}
	down := faultystore.New(newMemory(t))
	waiting := n.managedPayer("pay.slowly", field, func(context.Context, payInput) error {
		close(started)
		<-end
		return nil
	}).MustBuild()
	for name, c := range map[string]struct{ tool, key string }{
		"another tool's name":        {"pay.never", validPay},
		"a tool that is not managed": {"void.now", validPay},
		"a keyed tool":               {"pay.keyed", validPay},
		"a member too many":          {"pay.field", `{"pay":{"amount":10},"note":"x"}`},
		"no key field":               {"pay.field", `{}`},
		"arguments that do not fit":  {"pay.now", `{"pay":{}}`},
		"a running call":             {"pay.slowly", validPay},
	} {
		void, failed := voider(c.tool)
		k := newKit(t, []*contract.Tool{
			void, waiting, n.managedPayer("pay.now", byArguments, nil).MustBuild(), n.managedPayer("pay.field", field, nil).MustBuild(),
			n.managedPayer("pay.keyed", keyed, nil).MustBuild(),
		}, guard.WithStore(down))
		if c.tool == "pay.slowly" {
			go k.call(alice, "pay.slowly", validPay)
			<-started
		}
		k.call(alice, "void.now", `{"key":`+c.key+`}`)
		require.Error(t, *failed, name)
		assert.NotErrorIs(t, *failed, guard.ErrUnavailable, name)
	}
	close(end)
	require.Error(t, guard.Forget(t.Context(), "pay.now", validPay), "outside a call")

	void, failed := voider("pay.now")
	k := newKit(t, []*contract.Tool{void, n.managedPayer("pay.now", byArguments, nil).MustBuild()}, guard.WithStore(down))
	down.FailBefore(faultystore.Get, faultystore.Every, nil)
	k.call(alice, "void.now", `{"key":`+validPay+`}`)
	require.ErrorIs(t, *failed, guard.ErrUnavailable)
}
