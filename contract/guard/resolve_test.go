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
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
)

// byAmount is mild for one euro and as declared for more; what it may do with
// others a test says.
func byAmount(mild contract.Resolution) func(payInput) contract.Resolution {
	return func(in payInput) contract.Resolution {
		if in.Pay.Amount == 1 {
			return mild
		}
		return contract.Resolution{}
	}
}

// grave is a tool that always asks.
func (n *counter) grave(name string) *contract.Builder[payInput, payOutput] {
	return n.payer(name).Effect(risk.Destructive).Permissions("mail:send", "mail:read").DiscoverWith("mail:read")
}

var asReading = contract.Resolution{
	Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever, Permissions: []string{"mail:read"},
}

const (
	mildPay  = `{"pay":{"amount":1}}`
	wildPay  = validPay
	otherPay = `{"pay":{"amount":2}}`
)

func TestResolve_TheMilderContractIsKept(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.grave("pay.now").Resolve(byAmount(asReading)).MustBuild()})
	assert.False(t, k.call(alice, "pay.now", mildPay).IsError, "nobody is asked")
	assert.False(t, k.call(bob, "pay.now", mildPay).IsError, "fewer permissions are needed")
	refused(t, k.call(alice, "pay.now", otherPay), contract.CodeConfirmationRequired, contract.ClassFatal)
	refused(t, k.call(bob, "pay.now", otherPay), contract.CodePermissionDenied, contract.ClassFatal)
	refused(t, k.call(guard.Principal{}, "pay.now", mildPay), contract.CodeUnauthenticated, contract.ClassFatal)
	stranger := guard.Principal{Issuer: "test", Subject: "dora"}
	refused(t, k.call(stranger, "pay.now", mildPay), contract.CodePermissionDenied, contract.ClassFatal)
	refused(t, k.call(stranger, "pay.now", `{}`), contract.CodePermissionDenied, contract.ClassFatal)
	assert.EqualValues(t, 2, n.runs.Load())

	var levels []risk.Level
	for _, e := range k.events(audit.Terminal) {
		levels = append(levels, e.Risk)
	}
	assert.Equal(t, []risk.Level{risk.Low, risk.Low, risk.Critical, risk.Critical, risk.Critical, risk.Critical, risk.Critical}, levels)
	assert.Empty(t, k.log.Events(audit.Intent), "a call at low has no intent")
	first := k.log.Events(audit.Terminal)[0]
	assert.Equal(t, risk.ReadOnly, first.Effect)
	assert.Equal(t, "never", first.Confirmation)
	assert.Equal(t, []string{"mail:read"}, first.Permissions)
}

func TestResolve_TheQuestionSaysWhatHolds(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.grave("pay.now").Resolve(byAmount(contract.Resolution{Effect: risk.HighRiskWrite, Risk: risk.High})).MustBuild()})
	call := payNow
	call.arguments = mildPay
	q := k.asked(call)
	assert.Contains(t, q.Question.Facts, `Risk high, effect high-risk-write, on behalf of "alice".`)
	call.arguments = otherPay
	assert.Contains(t, k.asked(call).Question.Facts, `Risk critical, effect destructive, on behalf of "alice".`)
}

func TestResolve_WhatIsWilderBreaksTheContract(t *testing.T) {
	t.Parallel()
	n := &counter{}
	for name, said := range map[string]contract.Resolution{
		"effect":       {Effect: risk.Destructive},
		"risk":         {Risk: risk.Critical},
		"confirmation": {Confirmation: contract.ConfirmationAlways},
		"permissions":  {Permissions: []string{"mail:send", "mail:root"}},
		"none left":    {Permissions: []string{}},
	} {
		k := newKit(t, []*contract.Tool{n.payer("pay.now").Resolve(byAmount(said)).MustBuild()})
		refused(t, k.call(alice, "pay.now", mildPay), contract.CodeInternalError, contract.ClassFatal)
		assert.False(t, k.call(alice, "pay.now", wildPay).IsError, "other arguments are not concerned")
		events := k.events(audit.Terminal)
		assert.Equal(t, "resolve", events[0].Stage, name)
		assert.Contains(t, events[0].Error, "not within the contract")
	}
	assert.EqualValues(t, 5, n.runs.Load())
}

func TestResolve_WithoutAnAnswerIsAsDeclared(t *testing.T) {
	t.Parallel()
	for name, resolve := range map[string]func(payInput) contract.Resolution{
		"panics":               func(payInput) contract.Resolution { panic("boom") },
		"ends its goroutine":   func(payInput) contract.Resolution { runtime.Goexit(); return asReading },
		"does not come to one": func(payInput) contract.Resolution { time.Sleep(time.Minute); return asReading },
		"says nothing":         func(payInput) contract.Resolution { return contract.Resolution{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				k := newKit(t, []*contract.Tool{n.grave("pay.now").Resolve(resolve).MustBuild()})
				refused(t, k.call(alice, "pay.now", mildPay), contract.CodeConfirmationRequired, contract.ClassFatal)
				refused(t, k.call(bob, "pay.now", mildPay), contract.CodePermissionDenied, contract.ClassFatal)
				assert.Zero(t, n.runs.Load())
				time.Sleep(time.Minute) // for what still decides to end
				for _, e := range k.events(audit.Terminal) {
					assert.Equal(t, name != "says nothing", strings.HasPrefix(e.Error, "guard: Resolve: "), "its author finds out: %q", e.Error)
				}
			})
		})
	}
}

// The function gets arguments of its own: what it does to them is not seen by
// the handler, nor by the person.
func TestResolve_CannotChangeTheCall(t *testing.T) {
	t.Parallel()
	type listInput struct {
		IDs []string `json:"ids"`
	}
	type listOutput struct {
		IDs []string `json:"ids"`
	}
	tool := contract.New("notes.drop", func(_ context.Context, in listInput) (listOutput, error) { return listOutput(in), nil }).
		From(writing()).Resolve(func(in listInput) contract.Resolution {
		in.IDs[0] = "changed"
		return contract.Resolution{Effect: risk.ReadOnly, Risk: risk.Low}
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	assert.JSONEq(t, `{"ids":["a"]}`, string(k.call(alice, "notes.drop", `{"ids":["a"]}`).Structured))
}

// The authorizer is told what holds.
func TestResolve_TheAuthorizerIsToldWhatHolds(t *testing.T) {
	t.Parallel()
	n := &counter{}
	onlyReads := guard.WithAuthorizer(func(_ context.Context, a guard.Action) error {
		if a.Contract.Effect != risk.ReadOnly {
			return errors.New("no")
		}
		return nil
	})
	k := newKit(t, []*contract.Tool{n.grave("pay.now").Resolve(byAmount(asReading)).MustBuild()}, onlyReads)
	assert.False(t, k.call(alice, "pay.now", mildPay).IsError)
	refused(t, k.call(alice, "pay.now", otherPay), contract.CodePermissionDenied, contract.ClassFatal)
}

// A dry run says what this call lacks, not what others would.
func TestResolve_ADryRunIsHeldToWhatHolds(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.grave("pay.now").Resolve(byAmount(asReading)).DryRun(dryrun.By(previewPay)).MustBuild()})
	r := k.call(bob, "pay.now", `{"pay":{"amount":1},"dryRun":true}`)
	assert.Contains(t, string(r.Structured), `"missingPermissions":[]`)
	r = k.call(bob, "pay.now", `{"pay":{"amount":2},"dryRun":true}`)
	assert.Contains(t, string(r.Structured), `"missingPermissions":["mail:send"]`)
}

// discoverWith shows a tool to those who may not call it with all arguments,
// and to nobody else.
func TestDiscoverWith_ShowsTheToolToHoldersOfFewer(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tools := []*contract.Tool{
		n.grave("pay.shown").MustBuild(),
		n.payer("pay.hidden").Permissions("mail:send", "mail:read").MustBuild(),
	}
	k := newKit(t, tools)
	assert.Equal(t, map[string]bool{"pay.shown": true}, k.set.Visible(as(t.Context(), bob)))
	assert.Equal(t, map[string]bool{"pay.shown": true, "pay.hidden": true}, k.set.Visible(as(t.Context(), alice)))
	assert.Empty(t, k.set.Visible(t.Context()))
	refused(t, k.call(bob, "pay.shown", validPay), contract.CodePermissionDenied, contract.ClassFatal)
}

func TestEffective_SaysWhatWouldHold(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.grave("pay.now").Resolve(byAmount(asReading)).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	d, err := k.guard.Effective(as(t.Context(), bob), tool, json.RawMessage(mildPay))
	require.NoError(t, err)
	assert.Equal(t, risk.Low, d.Risk)
	assert.Equal(t, []string{"mail:read"}, d.Permissions)
	assert.True(t, d.Autonomous)
	d, err = k.guard.Effective(as(t.Context(), bob), tool, json.RawMessage(otherPay))
	require.NoError(t, err)
	assert.Equal(t, tool.Document(), d)
	assert.Zero(t, n.runs.Load())
	assert.Empty(t, k.events(audit.Terminal))
}

func TestEffective_DecidesAboutTheConfirmation(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.payer("pay.now").ConfirmWhen(func(in payInput) bool { return in.Pay.Amount > 1 }).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for arguments, want := range map[string]contract.Confirmation{mildPay: contract.ConfirmationNever, otherPay: contract.ConfirmationAlways} {
		d, err := k.guard.Effective(as(t.Context(), alice), tool, json.RawMessage(arguments))
		require.NoError(t, err)
		assert.Equal(t, want, d.Confirmation)
		assert.Equal(t, want == contract.ConfirmationNever, d.Autonomous)
	}
}

func TestEffective_SaysWhyNothingWould(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.payer("pay.now").Resolve(byAmount(contract.Resolution{Risk: risk.Critical})).MustBuild()
	forbidden := n.payer("keys.read").Risk(risk.Forbidden).MustBuild()
	k := newKit(t, []*contract.Tool{tool, forbidden})
	effective := func(p guard.Principal, tool *contract.Tool, arguments string) error {
		_, err := k.guard.Effective(as(t.Context(), p), tool, json.RawMessage(arguments))
		return err
	}
	var arguments *guard.ArgumentsError
	require.ErrorAs(t, effective(alice, tool, `{"pay":{"amount":101}}`), &arguments)
	assert.Equal(t, "/pay/amount", arguments.Violations[0].Pointer)
	var wilder *contract.ResolutionError
	require.ErrorAs(t, effective(alice, tool, mildPay), &wilder)
	for _, err := range []error{
		effective(guard.Principal{}, tool, mildPay), effective(bob, tool, mildPay), effective(alice, forbidden, mildPay), effective(alice, nil, mildPay),
	} {
		require.ErrorIs(t, err, guard.ErrUnknownTool)
	}
	require.NoError(t, effective(carol, forbidden, mildPay), "a person may know of it")
}
