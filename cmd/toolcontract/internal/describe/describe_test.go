package describe_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/describe"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// A person who repeats a call learns what the repetition does.
func TestLine_SaysWhatARepetitionDoes(t *testing.T) {
	t.Parallel()
	const asks = "a repetition finds out what a lost call did"
	for name, c := range map[string]struct {
		declared  contract.Idempotency
		reconcile *contract.Reconciling
		want      string
	}{
		"none":    {contract.Idempotency{Mode: idempotency.None}, nil, "a repetition acts again"},
		"managed": {contract.Idempotency{Mode: idempotency.Managed}, nil, "a repetition has no second effect"},
		"keyed":   {contract.Idempotency{Mode: idempotency.Keyed}, nil, "a repetition with the same key has no second effect"},
		"a required key": {contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}, nil,
			"needs an idempotency key, with which a repetition has no second effect"},
		"a tool that finds out": {contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"id"}}, &contract.Reconciling{},
			"a repetition has no second effect, " + asks},
	} {
		line := describe.Line(agent.Tool{Name: "a.b", Origin: agent.OriginContract, Contract: contract.Document{
			Effect: risk.LowRiskWrite, Idempotency: &c.declared, Reconcile: c.reconcile,
		}.Effective()})
		assert.Contains(t, line, ", "+c.want+", results", name)
		assert.Equal(t, c.reconcile != nil, strings.Contains(line, asks), name)
	}
}

// A write's line says how far its changes can be undone.
func TestBounds_SaysHowFarACallCanBeUndone(t *testing.T) {
	t.Parallel()
	reversible := []contract.SideEffect{{Description: "A row.", Reach: contract.Internal, Undo: contract.Reversible}}
	for want, doc := range map[string]contract.Document{
		"read-only":                          {Effect: risk.ReadOnly},
		"low-risk-write, irreversible":       {Effect: risk.LowRiskWrite},
		"low-risk-write, reversible":         {Effect: risk.LowRiskWrite, SideEffects: reversible},
		"paid-operation, reversible-outside": {Effect: risk.PaidOperation, SideEffects: reversible},
		"at least low-risk-write and at most destructive, at most irreversible": {Effect: risk.Destructive, SideEffects: reversible,
			Resolves: &contract.Least{Effect: risk.LowRiskWrite}},
		"destructive, irreversible": {Effect: risk.Destructive, Resolves: &contract.Least{Confirmation: contract.ConfirmationNever}},
	} {
		_, effect := describe.Bounds(doc.Effective())
		assert.Equal(t, want, effect)
	}
}
