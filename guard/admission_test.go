package guard_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

// admissions has a tool and its callers for each clause by which a stage
// refuses a caller before it reads the arguments, under "stage, clause".
var admissions = map[string]struct {
	tool             func(n *counter) *contract.Builder[payInput, payOutput]
	refused, allowed guard.Principal
}{
	"lookup, risk": {
		func(n *counter) *contract.Builder[payInput, payOutput] {
			return n.payer("pay.now").Risk(risk.Forbidden)
		}, alice, carol,
	},
	"authenticate, securityLevel": {
		func(n *counter) *contract.Builder[payInput, payOutput] { return n.open().SecurityLevel(1) }, guard.Principal{}, bob,
	},
	"authenticate, permissions": {
		func(n *counter) *contract.Builder[payInput, payOutput] { return n.payer("pay.now") }, guard.Principal{}, alice,
	},
	"admit, permissions": {
		func(n *counter) *contract.Builder[payInput, payOutput] { return n.payer("pay.now") }, bob, alice,
	},
	"admit, discoverWith": {
		func(n *counter) *contract.Builder[payInput, payOutput] {
			return n.payer("pay.now").Permissions("mail:send").DiscoverWith("mail:send").
				Resolve(contract.Least{}, byAmount(contract.Resolution{Permissions: []string{}}))
		}, bob, alice,
	},
}

// open returns a payer without permissions.
func (n *counter) open() *contract.Builder[payInput, payOutput] {
	b := writing()
	b.Permissions, b.NoPermissions = nil, "Everybody may pay."
	return contract.New("pay.now", func(_ context.Context, in payInput) (payOutput, error) {
		n.runs.Add(1)
		return payOutput{in.Pay.Amount}, nil
	}).From(b)
}

// admitsAll are the clauses of these stages that refuse no caller.
var admitsAll = map[string]string{
	"admit, rateLimit":        "it refuses calls of every caller",
	"admit, totalRateLimit":   "it refuses calls of every caller",
	"admit, maxArgumentBytes": "it refuses arguments",
}

// A tool that refuses a caller is not in the caller's list, and a caller that
// has it in its list can run it.
func TestAdmission_RefusedCallersDoNotSeeTheToolAndOthersRunIt(t *testing.T) {
	t.Parallel()
	for _, name := range guard.StageClauses() {
		stage, _, _ := strings.Cut(name, ",")
		if stage == "lookup" || stage == "authenticate" || stage == "admit" {
			_, paired := admissions[name]
			assert.NotEqual(t, paired, admitsAll[name] != "", "%s: pair it in admissions, or explain it in admitsAll", name)
		}
	}
	for name, c := range admissions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{c.tool(n).MustBuild()})
			r, err := k.set.Call(as(t.Context(), c.refused), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
			assert.True(t, err != nil || r.IsError, "the call was not refused")
			assert.Zero(t, n.runs.Load())
			assert.Empty(t, k.set.Visible(as(t.Context(), c.refused)), "a refused caller sees the tool")
			assert.Len(t, k.set.Visible(as(t.Context(), c.allowed)), 1, "an allowed caller does not see the tool")
			ran, err := k.set.Call(as(t.Context(), c.allowed), guard.Request{
				Tool: "pay.now", Arguments: json.RawMessage(validPay),
				Client: guard.Client{
					Ask: func(context.Context, people.Question) (json.RawMessage, error) {
						return json.RawMessage(confirmed), nil
					},
				},
			})
			require.NoError(t, err)
			require.False(t, ran.IsError, ran.Text)
			assert.EqualValues(t, 1, n.runs.Load())
		})
	}
}

// Each clause that demands a principal hides the tool from anonymous callers
// and refuses them.
func TestAdmission_AnonymousCallersSeeWhatTheyCanCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	for name, b := range map[string]*contract.Builder[payInput, payOutput]{
		"nothing":             n.open(),
		"permissions":         n.payer("pay.now"),
		"securityLevel":       n.open().SecurityLevel(1),
		"stepUp":              n.open().StepUp(contract.StepUp{When: "Money moves.", MaxAge: time.Minute}),
		"dryRun":              n.open().DryRun(dryrun.By(previewPay).Required()),
		"objectAuthorization": n.open().Authorize(upTo),
		"idempotency":         n.open().Idempotency(byArguments),
		"risk":                n.open().Risk(risk.High).ConfirmNever("Bounded."),
	} {
		tool := b.MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		r := k.call(guard.Principal{}, "pay.now", validPay)
		assert.Equal(t, name == "nothing", !r.IsError, name)
		assert.Equal(t, !r.IsError, len(k.set.Visible(t.Context())) == 1, name)
		assert.Equal(t, r.IsError, r.Outcome.Code == contract.CodeUnauthenticated, name)
		doc := tool.Document()
		assert.Equal(t, r.IsError, doc.NeedsPrincipal(), name)
	}
}
