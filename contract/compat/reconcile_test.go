package compat_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/idempotency"
)

// The class of outcome_unknown follows from Reconcile, so it is not a change of
// its own, neither a new promise nor a broken one.
func TestDiff_TheClassOfAnUnknownOutcomeFollowsFromReconcile(t *testing.T) {
	t.Parallel()
	byText := func() *noteBuilder {
		return writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}})
	}
	never := build(t, byText()).Document()
	asks := build(t, byText().Reconcile(func(context.Context, noteInput, time.Time) (contract.Reconciled[noteOutput], error) {
		return contract.NotKnown[noteOutput](0), nil
	}, contract.Reconciling{Quiet: time.Minute})).Document()
	rules := func(old, now contract.Document) (rules []string) {
		for _, c := range compat.DiffDocuments(old, now) {
			rules = append(rules, c.Rule)
		}
		return rules
	}
	assert.ElementsMatch(t, []string{"reconcile.added", "failures.guard"}, rules(never, asks))
	assert.ElementsMatch(t, []string{"reconcile.removed", "failures.guard"}, rules(asks, never))
	for _, view := range []compat.View{compat.Protections, compat.Claims} {
		assert.Empty(t, compat.Weaker(view, never, asks))
		assert.Equal(t, []compat.Weakening{{Clause: "reconcile", Rule: "reconcile.removed"}}, compat.Weaker(view, asks, never))
	}

	// Without such a clause a class that changes is a change of its own.
	promised := never.Clone()
	for i, m := range promised.FailureModes {
		if m.Code == contract.CodeOutcomeUnknown {
			promised.FailureModes[i].Class = contract.ClassRetryable
		}
	}
	assert.Equal(t, []string{"failure.nowRetryable"}, rules(never, promised))
}

func TestDiff_AKeyThatIsRequiredIsNoWeakerThanOneThatIsOffered(t *testing.T) {
	t.Parallel()
	old, now := document(t, offered), document(t, required)
	assert.Empty(t, compat.Weaker(compat.Claims, old, now))
	assert.Equal(t, []compat.Weakening{{Clause: "idempotency", Rule: "idempotency.keyNotRequired"}},
		compat.Weaker(compat.Protections, now, old))
}
