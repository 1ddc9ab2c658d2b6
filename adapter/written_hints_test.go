package adapter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A clause that the server author declares counts more than a hint of the tool
// author, and a clause that is silent about a hint leaves it as it is.
func TestWrap_ListsAHintUntilADeclaredClauseDeclaresOtherwise(t *testing.T) {
	t.Parallel()
	all := func(readOnly, destructive, idempotent, open bool) adapter.ToolAnnotations {
		return adapter.ToolAnnotations{ReadOnlyHint: &readOnly, DestructiveHint: &destructive, IdempotentHint: &idempotent,
			OpenWorldHint: &open}
	}
	additive := contract.SideEffect{Description: "Adds.", Reach: contract.Internal, Undo: contract.Reversible}
	for name, c := range map[string]struct {
		hints, listed adapter.ToolAnnotations
		base          contract.Base
	}{
		"silent about all but the effect": {
			all(false, false, true, false), all(false, false, true, false), contract.Base{Effect: risk.LowRiskWrite},
		},
		"a read": {all(false, true, false, true), all(true, false, true, true), contract.Base{Effect: risk.ReadOnly}},
		"a closed read": {
			all(false, true, false, true), all(true, false, true, false), contract.Base{Effect: risk.ReadOnly, Trust: trust.Trusted},
		},
		"destructive": {all(true, false, false, false), all(false, true, false, false), contract.Base{Effect: risk.Destructive}},
		"publishes": {
			all(true, false, false, false), all(false, false, false, true), contract.Base{Effect: risk.ExternalPublication},
		},
		"sends": {all(true, false, true, false), all(true, false, true, true), contract.Base{Sends: true}},
		"untrusted": {
			all(true, false, true, false), all(true, false, true, true), contract.Base{Trust: trust.Untrusted},
		},
		"side effects": {
			all(false, true, false, true), all(false, false, false, false),
			contract.Base{Effect: risk.LowRiskWrite, Trust: trust.Trusted, SideEffects: []contract.SideEffect{additive}},
		},
		"idempotent": {
			all(false, true, false, true), all(false, true, true, true),
			contract.Base{Effect: risk.LowRiskWrite, Idempotency: contract.Idempotency{Mode: idempotency.Native}},
		},
	} {
		tool := echo
		tool.Annotations = c.hints
		c.base.Version, c.base.Permissions = "1.0.0", []string{"a:b"}
		wrapped := adapter.NewWrapper(wrap.Rules{Base: c.base}, adapter.Config{}).Wrap(tool, func([]wrap.Option) *wrap.Builder {
			return adapter.Wrap(tool, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{})
		})
		require.NoError(t, wrapped.Err, name)
		table, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{wrapped.Contract}})
		assert.Equal(t, c.listed, table.Entries()[0].Definition().Annotations, name)
	}
}

// Without a rule of side effects, the contract of a tool that only adds would
// imply that nothing can be undone.
func TestRules_GuessesOfSideEffectsGiveWayToDeclaredOnes(t *testing.T) {
	t.Parallel()
	no := false
	tool := echo
	tool.Annotations = adapter.ToolAnnotations{DestructiveHint: &no}
	wrapBy := func(base contract.Base) wrap.Tool {
		base.Version, base.Permissions = "1.0.0", []string{"a:b"}
		return adapter.NewWrapper(wrap.Rules{Base: base}, adapter.Config{}).Wrap(tool, func([]wrap.Option) *wrap.Builder {
			return adapter.Wrap(tool, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{})
		})
	}
	guessed := wrapBy(contract.Base{})
	require.NoError(t, guessed.Err)
	doc := guessed.Contract.Document()
	assert.Equal(t, risk.High, doc.Risk)
	assert.Equal(t, contract.Hints{OpenWorld: true}, doc.Hints())
	assert.Len(t, guessed.Guesses, 2)

	own := []contract.SideEffect{{Description: "A label is printed.", Undo: contract.Irreversible}}
	declared := wrapBy(contract.Base{SideEffects: own})
	require.NoError(t, declared.Err)
	assert.Equal(t, own, declared.Contract.Document().SideEffects)
	assert.Len(t, declared.Guesses, 1)
	assert.Empty(t, wrapBy(contract.Base{Effect: risk.LowRiskWrite}).Contract.Document().SideEffects)
}
