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

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// byAmount returns a function that resolves an amount of 1 to weaker, and
// leaves other amounts as declared.
func byAmount(weaker contract.Resolution) func(payInput) contract.Resolution {
	return func(in payInput) contract.Resolution {
		if in.Pay.Amount == 1 {
			return weaker
		}
		return contract.Resolution{}
	}
}

// grave returns a destructive tool, which always asks for confirmation.
func (n *counter) grave(name string) *contract.Builder[payInput, payOutput] {
	return n.payer(name).Effect(risk.Destructive).Permissions("mail:send", "mail:read").DiscoverWith("mail:read")
}

var asReading = contract.Resolution{
	Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever, Permissions: []string{"mail:read"},
}

// resolving returns a grave tool whose calls with 1 only read.
func (n *counter) resolving(name string) *contract.Builder[payInput, payOutput] {
	return n.grave(name).Resolve(contract.Least(asReading), byAmount(asReading))
}

const (
	weakPay   = `{"pay":{"amount":1}}`
	strictPay = validPay
	otherPay  = `{"pay":{"amount":2}}`
)

func TestResolve_WeakerContractIsEnforced(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.resolving("pay.now").MustBuild()})
	assert.False(t, k.call(alice, "pay.now", weakPay).IsError, "no question is asked")
	assert.False(t, k.call(bob, "pay.now", weakPay).IsError, "fewer permissions are needed")
	refused(t, k.call(alice, "pay.now", otherPay), contract.CodeConfirmationRequired, contract.ClassFatal)
	refused(t, k.call(bob, "pay.now", otherPay), contract.CodePermissionDenied, contract.ClassFatal)
	refused(t, k.call(guard.Principal{}, "pay.now", weakPay), contract.CodeUnauthenticated, contract.ClassFatal)
	stranger := guard.Principal{Issuer: "test", Subject: "dora"}
	refused(t, k.call(stranger, "pay.now", weakPay), contract.CodePermissionDenied, contract.ClassFatal)
	refused(t, k.call(stranger, "pay.now", `{}`), contract.CodePermissionDenied, contract.ClassFatal)
	assert.EqualValues(t, 2, n.runs.Load())

	var levels []risk.Level
	for _, e := range k.events(audit.Terminal) {
		levels = append(levels, e.Risk)
	}
	assert.Equal(t, []risk.Level{risk.Low, risk.Low, risk.Critical, risk.Critical, risk.Critical, risk.Critical, risk.Critical},
		levels)
	assert.Empty(t, k.log.Events(audit.Intent), "a low-risk call has no intent")
	first := k.log.Events(audit.Terminal)[0]
	assert.Equal(t, risk.ReadOnly, first.Effect)
	assert.Equal(t, "never", first.Confirmation)
	assert.Equal(t, []string{"mail:read"}, first.Permissions)
}

func TestResolve_QuestionShowsTheResolvedTerms(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.grave("pay.now").Resolve(contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High},
		byAmount(contract.Resolution{Effect: risk.HighRiskWrite, Risk: risk.High})).
		SideEffects(contract.SideEffect{Description: "A payment.", Reach: contract.Internal, Undo: contract.Reversible}).MustBuild()})
	call := payNow
	call.arguments = weakPay
	q := k.asked(call)
	assert.Contains(t, q.Question.Facts, `Risk high, effect high-risk-write, can be undone, on behalf of "alice".`)
	call.arguments = otherPay
	assert.Contains(t, k.asked(call).Question.Facts, `Risk critical, effect destructive, cannot be undone, on behalf of "alice".`)
}

// A resolution is refused below the least that the contract publishes, as it is
// above the declared clauses.
func TestThreat167_CallBelowTheLeastOfItsContractDoesNotRun(t *testing.T) {
	t.Parallel()
	for name, least := range map[string]contract.Least{
		"effect":       {Effect: risk.LowRiskWrite, Risk: risk.Low, Confirmation: contract.ConfirmationNever, Permissions: []string{}},
		"risk":         {Effect: risk.ReadOnly, Risk: risk.Medium, Confirmation: contract.ConfirmationNever, Permissions: []string{}},
		"confirmation": {Effect: risk.ReadOnly, Risk: risk.Low, Permissions: []string{}},
		"permissions":  {Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever},
		"nothing":      {},
	} {
		n := &counter{}
		tool := n.grave("pay.now").Resolve(least, byAmount(asReading)).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		refused(t, k.call(alice, "pay.now", weakPay), contract.CodeInternalError, contract.ClassFatal)
		refused(t, k.call(alice, "pay.now", otherPay), contract.CodeConfirmationRequired, contract.ClassFatal)
		assert.Zero(t, n.runs.Load(), name)
		events := k.events(audit.Terminal)
		assert.Equal(t, "resolve", events[0].Stage, name)
		assert.NotEmpty(t, events[0].Error, name)
		_, err := k.guard.Effective(as(t.Context(), alice), tool, json.RawMessage(weakPay))
		var weaker *contract.ResolutionError
		require.ErrorAs(t, err, &weaker, name)
	}
}

func TestResolve_QuestionShowsBothEndsOfTheContract(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.resolving("pay.now").MustBuild()})
	call := payNow
	call.arguments = otherPay
	assert.Contains(t, k.asked(call).Question.Facts,
		"Depending on the arguments: risk at least low and at most critical, effect at least read-only and at most destructive, "+
			"some calls without a question, some calls with fewer permissions.")
	k = newKit(t, []*contract.Tool{n.grave("pay.now").Risk(risk.Critical).Effect(risk.HighRiskWrite).
		Resolve(contract.Least{Risk: risk.High}, byAmount(contract.Resolution{})).MustBuild()})
	assert.Contains(t, k.asked(call).Question.Facts, "Depending on the arguments: risk at least high and at most critical.")
}

func TestResolve_StricterResolutionBreaksTheContract(t *testing.T) {
	t.Parallel()
	n := &counter{}
	for name, resolution := range map[string]contract.Resolution{
		"effect":         {Effect: risk.Destructive},
		"risk":           {Risk: risk.Critical},
		"confirmation":   {Confirmation: contract.ConfirmationAlways},
		"permissions":    {Permissions: []string{"mail:send", "mail:root"}},
		"no permissions": {Permissions: []string{}},
	} {
		k := newKit(t, []*contract.Tool{n.payer("pay.now").Resolve(contract.Least{}, byAmount(resolution)).MustBuild()})
		refused(t, k.call(alice, "pay.now", weakPay), contract.CodeInternalError, contract.ClassFatal)
		assert.False(t, k.call(alice, "pay.now", strictPay).IsError, "other arguments are not affected")
		events := k.events(audit.Terminal)
		assert.Equal(t, "resolve", events[0].Stage, name)
		assert.Contains(t, events[0].Error, "not within the contract")
	}
	assert.EqualValues(t, 5, n.runs.Load())
}

func TestResolve_FailedFunctionLeavesTheDeclaredTerms(t *testing.T) {
	t.Parallel()
	for name, resolve := range map[string]func(payInput) contract.Resolution{
		"panics":             func(payInput) contract.Resolution { panic("boom") },
		"ends its goroutine": func(payInput) contract.Resolution { runtime.Goexit(); return asReading },
		"does not return":    func(payInput) contract.Resolution { time.Sleep(time.Minute); return asReading },
		"resolves nothing":   func(payInput) contract.Resolution { return contract.Resolution{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				k := newKit(t, []*contract.Tool{n.grave("pay.now").Resolve(contract.Least(asReading), resolve).MustBuild()})
				refused(t, k.call(alice, "pay.now", weakPay), contract.CodeConfirmationRequired, contract.ClassFatal)
				refused(t, k.call(bob, "pay.now", weakPay), contract.CodePermissionDenied, contract.ClassFatal)
				assert.Zero(t, n.runs.Load())
				time.Sleep(time.Minute) // lets the slow function end
				for _, e := range k.events(audit.Terminal) {
					assert.Equal(t, name != "resolves nothing", strings.HasPrefix(e.Error, "guard: Resolve: "), "the log holds the failure: %q",
						e.Error)
				}
			})
		})
	}
}

// The function gets a copy of the arguments, so its changes reach neither the
// handler nor the question.
func TestResolve_CannotChangeTheCall(t *testing.T) {
	t.Parallel()
	type listInput struct {
		IDs []string `json:"ids"`
	}
	type listOutput struct {
		IDs []string `json:"ids"`
	}
	tool := contract.New("notes.drop", func(_ context.Context, in listInput) (listOutput, error) { return listOutput(in), nil }).
		From(writing()).Resolve(contract.Least{Effect: risk.ReadOnly, Risk: risk.Low}, func(in listInput) contract.Resolution {
		in.IDs[0] = "changed"
		return contract.Resolution{Effect: risk.ReadOnly, Risk: risk.Low}
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	assert.JSONEq(t, `{"ids":["a"]}`, string(k.call(alice, "notes.drop", `{"ids":["a"]}`).Structured))
}

func TestResolve_AuthorizerGetsTheResolvedTerms(t *testing.T) {
	t.Parallel()
	n := &counter{}
	onlyReads := guard.WithAuthorizer(func(_ context.Context, a guard.Action) error {
		if a.Contract.Effect != risk.ReadOnly {
			return errors.New("no")
		}
		return nil
	})
	k := newKit(t, []*contract.Tool{n.resolving("pay.now").MustBuild()}, onlyReads)
	assert.False(t, k.call(alice, "pay.now", weakPay).IsError)
	refused(t, k.call(alice, "pay.now", otherPay), contract.CodePermissionDenied, contract.ClassFatal)
}

// A dry run lists the permissions that this call lacks, not those of other
// calls.
func TestResolve_DryRunUsesTheResolvedTerms(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.resolving("pay.now").DryRun(dryrun.By(previewPay)).MustBuild()})
	r := k.call(bob, "pay.now", `{"pay":{"amount":1},"dryRun":true}`)
	assert.Contains(t, string(r.Structured), `"missingPermissions":[]`)
	r = k.call(bob, "pay.now", `{"pay":{"amount":2},"dryRun":true}`)
	assert.Contains(t, string(r.Structured), `"missingPermissions":["mail:send"]`)
}

// DiscoverWith shows a tool to callers that may call it with some arguments,
// and to no others.
func TestDiscoverWith_ShowsTheToolToHoldersOfFewerPermissions(t *testing.T) {
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

func TestEffective_ReturnsTheResolvedDocument(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.resolving("pay.now").MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	d, err := k.guard.Effective(as(t.Context(), bob), tool, json.RawMessage(weakPay))
	require.NoError(t, err)
	assert.Equal(t, risk.Low, d.Risk)
	assert.Equal(t, []string{"mail:read"}, d.Permissions)
	assert.True(t, d.Autonomous)
	d, err = k.guard.Effective(as(t.Context(), bob), tool, json.RawMessage(otherPay))
	require.NoError(t, err)
	declared := tool.Document()
	declared.Resolves = nil
	assert.Equal(t, declared, d)
	assert.Zero(t, n.runs.Load())
	assert.Empty(t, k.events(audit.Terminal))
}

func TestEffective_DecidesTheConfirmation(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.payer("pay.now").ConfirmWhen(func(in payInput) bool { return in.Pay.Amount > 1 }).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for arguments, want := range map[string]contract.Confirmation{weakPay: contract.ConfirmationNever,
		otherPay: contract.ConfirmationAlways} {
		d, err := k.guard.Effective(as(t.Context(), alice), tool, json.RawMessage(arguments))
		require.NoError(t, err)
		assert.Equal(t, want, d.Confirmation)
		assert.Equal(t, want == contract.ConfirmationNever, d.Autonomous)
	}
}

func TestEffective_ReturnsTheReasonForARefusal(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.payer("pay.now").Resolve(contract.Least{}, byAmount(contract.Resolution{Risk: risk.Critical})).MustBuild()
	forbidden := n.payer("keys.read").Risk(risk.Forbidden).MustBuild()
	k := newKit(t, []*contract.Tool{tool, forbidden})
	effective := func(p guard.Principal, tool *contract.Tool, arguments string) error {
		_, err := k.guard.Effective(as(t.Context(), p), tool, json.RawMessage(arguments))
		return err
	}
	var arguments *guard.ArgumentsError
	require.ErrorAs(t, effective(alice, tool, `{"pay":{"amount":101}}`), &arguments)
	assert.Equal(t, "/pay/amount", arguments.Violations[0].Pointer)
	var stricter *contract.ResolutionError
	require.ErrorAs(t, effective(alice, tool, weakPay), &stricter)
	for _, err := range []error{
		effective(guard.Principal{}, tool, weakPay), effective(bob, tool, weakPay), effective(alice, forbidden, weakPay),
		effective(alice, nil, weakPay),
	} {
		require.ErrorIs(t, err, guard.ErrUnknownTool)
	}
	require.NoError(t, effective(carol, forbidden, weakPay), "a person may see a forbidden tool")
}
