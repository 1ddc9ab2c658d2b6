package compat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// An author who makes a tool idempotent gives up nothing. A gateway cannot know
// whether a server that somebody else runs says the truth.
func ExampleWeaker() {
	old := contract.Document{Effect: risk.LowRiskWrite, Permissions: []string{"notes:write"}}
	now := old
	now.Idempotency = &contract.Idempotency{Mode: idempotency.Native}
	fmt.Println(compat.Weaker(compat.Protections, old, now))
	fmt.Println(compat.Weaker(compat.Claims, old, now))
	now.Permissions = nil
	fmt.Println(compat.Weaker(compat.Protections, old, now))
	// Output:
	// []
	// [{idempotency idempotency.added}]
	// [{permissions permission.removed}]
}

// The cells of the table: each change of a clause, in both views.
func TestWeaker_EveryChangeInBothViews(t *testing.T) {
	t.Parallel()
	for i, c := range clauseCases() {
		t.Run(fmt.Sprintf("%d_%s", i, c.rule), func(t *testing.T) {
			t.Parallel()
			old, now := document(t, c.old), document(t, c.now)
			change := find(t, compat.DiffDocuments(old, now), c.rule)
			clause, _, _ := strings.Cut(strings.TrimPrefix(change.Pointer, "/"), "/")
			if clause == "inputSchema" || clause == "outputSchema" {
				return // Diff compares the schemas
			}
			weakening := compat.Weakening{Clause: clause, Rule: c.rule}
			protections := compat.Weaker(compat.Protections, old, now)
			claims := compat.Weaker(compat.Claims, old, now)
			assert.Equal(t, c.protection == weakened, slices.Contains(protections, weakening), "%v", protections)
			assert.Equal(t, c.protection != kept, slices.Contains(claims, weakening), "%v", claims)
			for _, w := range protections {
				assert.Contains(t, claims, w, "what is weaker for an author is weaker for a gateway")
			}
			assert.Empty(t, compat.Weaker(compat.Claims, now, now))
		})
	}
}

// The mode of idempotency, from each to each: D is weaker in both views, C as a
// claim only.
func TestWeaker_EveryModeOfIdempotency(t *testing.T) {
	t.Parallel()
	modes := []idempotency.Mode{idempotency.None, idempotency.Native, idempotency.Managed, idempotency.Keyed}
	table := []string{
		// none, native, managed, keyed
		". C C .", // none
		"D . . D", // native
		"D D . D", // managed
		"D D C .", // keyed
	}
	of := func(mode idempotency.Mode) contract.Document {
		return contract.Document{Effect: risk.LowRiskWrite, Idempotency: &contract.Idempotency{
			Mode: mode, ClientKey: mode.Deduplicates(),
		}}
	}
	for i, row := range table {
		for j, want := range strings.Fields(row) {
			weaker := func(view compat.View) bool {
				return slices.ContainsFunc(compat.Weaker(view, of(modes[i]), of(modes[j])),
					func(w compat.Weakening) bool { return w.Clause == "idempotency" })
			}
			assert.Equal(t, want == "D", weaker(compat.Protections), "%v to %v", modes[i], modes[j])
			assert.Equal(t, want != ".", weaker(compat.Claims), "%v to %v", modes[i], modes[j])
		}
	}
}

func TestWeaker_NamesEachWeakeningOnce(t *testing.T) {
	t.Parallel()
	old := contract.Document{Permissions: []string{"a", "b", "c"}, Effect: risk.Destructive}
	now := contract.Document{Permissions: []string{"c"}, Effect: risk.ReadOnly}
	assert.Equal(t, []compat.Weakening{
		{Clause: "effect", Rule: "effect.milder"},
		{Clause: "risk", Rule: "risk.lowered"},
		{Clause: "permissions", Rule: "permission.removed"},
		{Clause: "confirmation", Rule: "confirmation.lowered"},
	}, compat.Weaker(compat.Protections, old, now))

	old, now = contract.Document{Risk: risk.Low, SecurityLevel: 3}, contract.Document{Risk: risk.Low}
	assert.Equal(t, []compat.Weakening{
		{Clause: "securityLevel", Rule: "securityLevel.lowered"},
		{Rule: "principal.waived"},
	}, compat.Weaker(compat.Protections, old, now), "what follows from a clause comes after it")
}

// If a contract becomes milder as a whole, its lower least follows from the
// changed clauses. A raised clause leaves the least as it was.
func TestWeaker_ComparesTheLeastOfEachCall(t *testing.T) {
	t.Parallel()
	grave := contract.Document{Effect: risk.HighRiskWrite, Risk: risk.Critical, Confirmation: contract.ConfirmationAlways,
		Permissions: []string{"notes:write"}}
	waived := grave
	waived.Resolves = &contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
	mild := contract.Document{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever,
		Autonomous: true, Permissions: []string{"notes:write"}}
	rules := func(old, now contract.Document) (rules []string) {
		for _, w := range compat.Weaker(compat.Protections, old, now) {
			rules = append(rules, w.Clause+" "+w.Rule)
		}
		return rules
	}
	assert.Equal(t, []string{"resolves resolves.lower"}, rules(grave, waived))
	assert.Empty(t, rules(waived, grave))
	assert.Equal(t, []string{"effect effect.milder", "risk risk.lowered", "confirmation confirmation.lowered"}, rules(waived, mild))
	assert.Empty(t, rules(mild, waived), "every call demands as much as before")
}

// A destructive tool's contract says that a person confirms each call. If a
// function begins to waive that for some arguments, or for more of them, that
// is a downgrade and needs a new version.
func TestThreat168_AResolveThatAppearsOrWeakensFurtherIsADowngrade(t *testing.T) {
	t.Parallel()
	grave := func() *noteBuilder { return writing().Effect(risk.Destructive).Permissions("notes:read") }
	waives := func(noteInput) contract.Resolution {
		return contract.Resolution{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
	}
	none := build(t, grave()).Document()
	some := build(t, grave().Resolve(contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High}, waives)).Document()
	more := build(t, grave().Resolve(contract.Least(waives(noteInput{})), waives)).Document()
	less := build(t, grave().Resolve(contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High,
		Permissions: []string{"notes:read"}}, waives)).Document()
	for name, c := range map[string]struct{ old, now contract.Document }{
		"appears": {none, some}, "appears and waives the question": {none, more}, "waives the question": {some, more},
		"needs fewer permissions": {some, less},
	} {
		changes := compat.DiffDocuments(c.old, c.now)
		change := find(t, changes, "resolves.lower")
		assert.True(t, change.Downgrade, name)
		assert.True(t, strings.HasPrefix(change.Pointer, "/resolves/"), name)
		for _, view := range []compat.View{compat.Protections, compat.Claims} {
			assert.Equal(t, []compat.Weakening{{Clause: "resolves", Rule: "resolves.lower"}}, compat.Weaker(view, c.old, c.now), name)
			assert.Empty(t, compat.Weaker(view, c.now, c.old), name)
		}
		before, after := compat.Snapshot{Tools: []contract.Document{c.old}}, compat.Snapshot{Tools: []contract.Document{c.now}}
		assert.NotEmpty(t, compat.CheckVersions(before, after), name)
	}
}
