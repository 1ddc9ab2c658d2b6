package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// The lines of the guard about effects.
const (
	mayHaveHappened = "\nEffects may have happened."
	mayStillHappen  = "\nEffects may have happened or may still happen."
)

func TestEffects_AreMentionedInEveryFailureOfAWriteThatBegan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		end     func(context.Context) (payOutput, error)
		others  contract.Class // of OtherErrors
		code    string
		effects string
	}{
		{"an undeclared error", func(context.Context) (payOutput, error) { return payOutput{}, errSecret }, 0,
			contract.CodeInternalError, mayHaveHappened},
		{"a panic", func(context.Context) (payOutput, error) { panic("at the disco") }, 0, contract.CodeInternalError, mayHaveHappened},
		{"the goroutine's end", func(context.Context) (payOutput, error) { runtime.Goexit(); return payOutput{}, nil }, 0,
			contract.CodeInternalError, mayHaveHappened},
		{"an error that OtherErrors returns", func(context.Context) (payOutput, error) { return payOutput{}, errSecret },
			contract.ClassRetryable, contract.CodeToolRetry, mayHaveHappened},
		{"a failure with an effect", func(context.Context) (payOutput, error) {
			return payOutput{},
				errSpent.Errorf("3 of 4").Hint("Look.")
		}, 0, errSpent.Code(), mayHaveHappened},
		{"a failure without an effect", func(context.Context) (payOutput, error) { return payOutput{}, errNoFunds }, 0,
			errNoFunds.Code(), ""},
		{"an invalid result", func(context.Context) (payOutput, error) { return payOutput{-1}, nil }, 0, contract.CodeOutputInvalid,
			mayHaveHappened},
		{"a result that is too large", func(context.Context) (payOutput, error) { return payOutput{123456789}, nil }, 0,
			contract.CodeResultTooLarge, mayHaveHappened},
		{"a timeout", func(ctx context.Context) (payOutput, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			return payOutput{}, errSecret
		}, 0, contract.CodeTimeout, mayStillHappen},
	} {
		for effect, wanted := range map[risk.Effect]string{risk.ReadOnly: "", risk.LowRiskWrite: c.effects} {
			t.Run(c.name+" of a "+effect.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					tool := func(name string) *contract.Builder[payInput, payOutput] {
						b := contract.New(name, func(ctx context.Context, _ payInput) (payOutput, error) { return c.end(ctx) }).
							From(writing()).Failures(errNoFunds, errSpent).MaxResultBytes(20).Timeout(time.Minute).
							OutputSchema(json.RawMessage(`{"type":"object","properties":{"paid":{"type":"integer","minimum":0}},"required":["paid"]}`))
						if c.others != 0 {
							b.OtherErrors(c.others)
						}
						return b
					}
					k := newKit(t, []*contract.Tool{
						tool("pay.now").Effect(effect).MustBuild(),
						tool("pay.resolved").Resolve(contract.Least{Effect: effect},
							func(payInput) contract.Resolution { return contract.Resolution{Effect: effect} }).MustBuild(),
					})
					for _, name := range []string{"pay.now", "pay.resolved"} {
						r := k.call(alice, name, validPay)
						require.Equal(t, c.code, r.Outcome.Code, r.Text)
						assert.Equal(t, wanted != "", strings.HasSuffix(r.Text, wanted) && wanted != "", r.Text)
						assert.Equal(t, wanted != "", strings.Contains(strings.ToLower(r.Text), "effects may"), r.Text)
					}
					require.NoError(t, k.guard.Close(t.Context()))
				})
			})
		}
	}
}

func TestEffects_OnTheCallersGoroutineAreMentionedToo(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){"a panic": func() { panic("at the disco") }, "an error": func() {}} {
		k := newKit(t, []*contract.Tool{writer("note.add", func(context.Context) error { end(); return errSecret }).MustBuild()})
		assert.True(t, strings.HasSuffix(k.call(alice, "note.add", "").Text, mayHaveHappened), name)
	}
}

// A method of a result's type ends the goroutine after the handler has run, and
// one of the input's type before it.
func TestEffects_AreMentionedIfTheCallBreaksOffAfterItsHandler(t *testing.T) {
	t.Parallel()
	type in struct {
		D deadIn `json:"d"`
	}
	type out struct {
		D deadOut `json:"d"`
	}
	k := newKit(t, []*contract.Tool{
		contract.New("dead.in", func(context.Context, in) (empty, error) { return empty{}, nil }).From(writing()).MustBuild(),
		contract.New("dead.out", func(context.Context, empty) (out, error) { return out{}, nil }).From(writing()).MustBuild(),
		contract.New("dead.read", func(context.Context, empty) (out, error) { return out{}, nil }).From(writing()).
			Effect(risk.ReadOnly).MustBuild(),
	})
	for tool, c := range map[string]struct {
		arguments string
		effects   bool
	}{"dead.in": {`{"d":"x"}`, false}, "dead.out": {`{}`, true}, "dead.read": {`{}`, false}} {
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: tool, Arguments: json.RawMessage(c.arguments), Isolate: true})
		require.NoError(t, err)
		refused(t, r, contract.CodeInternalError, contract.ClassFatal)
		assert.Equal(t, c.effects, strings.HasSuffix(r.Text, mayHaveHappened), tool)
	}
}

// A write that did not begin has had no effect, and a preview has none.
func TestEffects_AreNotMentionedIfTheWriteDidNotBegin(t *testing.T) {
	t.Parallel()
	n := &counter{}
	preview := func(in payInput) (dryrun.Preview[payPreview], error) {
		switch in.Pay.Amount {
		case 1:
			return dryrun.Preview[payPreview]{}, errSecret
		case 2:
			return dryrun.Preview[payPreview]{}, errSpent
		case 3:
			return dryrun.Preview[payPreview]{Warnings: []string{strings.Repeat("x", 2<<20)}}, nil
		}
		return dryrun.Preview[payPreview]{Warnings: []string{"\\xff"}}, nil
	}
	k := newKit(t, []*contract.Tool{
		n.payer("pay.resolved").Resolve(contract.Least{}, func(payInput) contract.Resolution {
			return contract.Resolution{Effect: risk.Destructive}
		}).MustBuild(),
		n.payer("pay.denied").MustBuild(),
		n.payer("pay.tried").Failures(errSpent).DryRun(dryrun.By(func(_ context.Context, in payInput) (dryrun.Preview[payPreview],
			error) {
			return preview(in)
		})).MustBuild(),
	})
	for _, r := range []*guard.Result{
		k.call(alice, "pay.resolved", validPay), // stricter than the contract
		k.call(bob, "pay.denied", validPay),
		k.call(alice, "pay.denied", `{}`),
		k.call(alice, "pay.tried", `{"pay":{"amount":1},"dryRun":true}`),
		k.call(alice, "pay.tried", `{"pay":{"amount":2},"dryRun":true}`),
		k.call(alice, "pay.tried", `{"pay":{"amount":3},"dryRun":true}`),
	} {
		require.True(t, r.IsError)
		assert.NotContains(t, strings.ToLower(r.Text), "effects may", r.Outcome.Code)
	}
	assert.Zero(t, n.runs.Load())
}

func TestEffects_OfACancelledWriteAreMentioned(t *testing.T) {
	t.Parallel()
	for effect, wanted := range map[risk.Effect]bool{risk.ReadOnly: false, risk.LowRiskWrite: true} {
		ctx, cancel := context.WithCancel(as(t.Context(), alice))
		tool := writer("note.add",
			func(context.Context) error { cancel(); return errors.New("the end") }).Effect(effect).Cancellable().MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		r, err := k.set.Call(ctx, guard.Request{Tool: "note.add"})
		require.NoError(t, err)
		require.Equal(t, contract.StatusCancelled, r.Outcome.Status)
		assert.Equal(t, wanted, strings.Contains(r.Text, "effects may have happened"), r.Text)
	}
}

func TestEffects_AreInAReplayOnce(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.failingAt(byArguments, map[int64]error{10: errDone}).MustBuild()})
	first := k.call(alice, "pay.now", validPay)
	second := k.call(alice, "pay.now", validPay)
	replayOf(t, first, second)
	assert.Equal(t, 1, strings.Count(second.Text, mayHaveHappened))
}
