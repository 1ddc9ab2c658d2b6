package contract_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/risk"
)

var (
	undone  = contract.SideEffect{Description: "A row.", Reach: contract.Internal, Undo: contract.Reversible}
	outside = contract.SideEffect{Description: "A mail.", Reach: contract.External, Undo: contract.Reversible}
	gone    = contract.SideEffect{Description: "A key.", Reach: contract.Internal, Undo: contract.Irreversible}
)

// The class that is hardest to undo counts, whether it is that of the effect or
// of a side effect.
func TestReversibility_FollowsFromEffectAndSideEffects(t *testing.T) {
	t.Parallel()
	ofEffect := map[risk.Effect]risk.Reversibility{
		risk.ReadOnly: risk.Unchanging, risk.LowRiskWrite: risk.Reversible, risk.HighRiskWrite: risk.Reversible,
		risk.ExternalPublication: risk.ReversibleOutside, risk.PaidOperation: risk.ReversibleOutside,
		risk.Destructive: risk.Irreversible, 0: risk.Irreversible, 99: risk.Irreversible,
	}
	require.Len(t, ofEffect, len(enumtest.All[risk.Effect]())+2, "an effect has no row")
	for effect, least := range ofEffect {
		for _, c := range []struct {
			sideEffects []contract.SideEffect
			class       risk.Reversibility
		}{
			{nil, risk.Irreversible},
			{[]contract.SideEffect{undone}, risk.Reversible},
			{[]contract.SideEffect{undone, outside}, risk.ReversibleOutside},
			{[]contract.SideEffect{undone, gone, outside}, risk.Irreversible},
			{[]contract.SideEffect{{Description: "It says no more."}}, risk.Irreversible},
			{[]contract.SideEffect{{Description: "Where?", Undo: contract.Reversible}}, risk.ReversibleOutside},
			{[]contract.SideEffect{{Description: "For how long?", Reach: contract.Internal}}, risk.Irreversible},
			{[]contract.SideEffect{{Description: "Of a newer version.", Reach: 99, Undo: contract.Reversible}}, risk.ReversibleOutside},
		} {
			want := max(least, c.class)
			if effect == risk.ReadOnly && c.sideEffects == nil {
				want = risk.Unchanging
			}
			d := contract.Document{Effect: effect, SideEffects: c.sideEffects}
			assert.Equal(t, want, d.Effective().Reversibility, "%v %+v", effect, c.sideEffects)
			assert.Zero(t, d.Reversibility, "the document stays as it was written")
		}
	}
}

func TestBuild_PublishesTheClass(t *testing.T) {
	t.Parallel()
	for want, b := range map[risk.Reversibility]*noteBuilder{
		risk.Unchanging:        reading(),
		risk.Reversible:        writing().SideEffects(undone),
		risk.ReversibleOutside: writing().SideEffects(outside),
		risk.Irreversible:      writing().SideEffects(outside, gone),
	} {
		d := build(t, b).Document()
		assert.Equal(t, want, d.Reversibility)
		assert.Equal(t, want, d.Summary().Reversibility)
		assert.Equal(t, want, d.Effective().Reversibility)
	}
}

// The side effects of a summary are only descriptions.
func TestReversibility_OfASummaryIsTheOneItPublishes(t *testing.T) {
	t.Parallel()
	for _, effects := range [][]contract.SideEffect{{undone}, {outside}, {gone}, {undone, outside}} {
		d := build(t, writing().SideEffects(effects...)).Document()
		raw, err := json.Marshal(d.Summary())
		require.NoError(t, err)
		var read contract.Document
		require.NoError(t, json.Unmarshal(raw, &read))
		assert.Equal(t, d.Reversibility, read.Effective().Reversibility, "%+v", effects)
		assert.Equal(t, d.Reversibility, read.Effective().Effective().Reversibility, "%+v", effects)

		read.Reversibility = 0 // an older server publishes none
		assert.Equal(t, risk.Irreversible, read.Effective().Reversibility, "%+v", effects)
	}
}

func TestReversibility_TheStricterOfThePublishedAndTheDerivedOneCounts(t *testing.T) {
	t.Parallel()
	open := contract.SideEffect{Description: "It says no more."}
	for _, c := range []struct {
		published   risk.Reversibility
		effect      risk.Effect
		sideEffects []contract.SideEffect
		want        risk.Reversibility
	}{
		{risk.Unchanging, risk.LowRiskWrite, []contract.SideEffect{undone}, risk.Reversible},
		{risk.Unchanging, risk.LowRiskWrite, []contract.SideEffect{open}, risk.Reversible},
		{risk.Reversible, risk.ExternalPublication, []contract.SideEffect{undone}, risk.ReversibleOutside},
		{risk.Reversible, risk.LowRiskWrite, []contract.SideEffect{outside}, risk.ReversibleOutside},
		{risk.Reversible, risk.LowRiskWrite, []contract.SideEffect{open, outside}, risk.ReversibleOutside},
		{risk.Reversible, risk.LowRiskWrite, []contract.SideEffect{{Reach: contract.External}}, risk.ReversibleOutside},
		{risk.Reversible, risk.LowRiskWrite, []contract.SideEffect{{Undo: contract.Reversible}}, risk.Reversible},
		{risk.ReversibleOutside, risk.LowRiskWrite, []contract.SideEffect{gone}, risk.Irreversible},
		{risk.Reversible, risk.Destructive, []contract.SideEffect{undone}, risk.Irreversible},
		{risk.Reversible, 0, []contract.SideEffect{undone}, risk.Irreversible},
		{risk.Irreversible, risk.LowRiskWrite, []contract.SideEffect{undone}, risk.Irreversible},
		{risk.Unchanging, risk.ReadOnly, nil, risk.Unchanging},
		{risk.Unchanging, risk.ReadOnly, []contract.SideEffect{gone}, risk.Irreversible},
		{risk.Irreversible, risk.ReadOnly, nil, risk.Irreversible},
		{0, risk.ReadOnly, []contract.SideEffect{outside}, risk.ReversibleOutside},
		{0, risk.LowRiskWrite, []contract.SideEffect{undone}, risk.Reversible},
		{99, risk.LowRiskWrite, []contract.SideEffect{undone}, risk.Reversible},
		{99, risk.LowRiskWrite, []contract.SideEffect{open}, risk.Irreversible},
	} {
		d := contract.Document{Reversibility: c.published, Effect: c.effect, SideEffects: c.sideEffects}
		name := fmt.Sprintf("%v published for %v and %+v", c.published, c.effect, c.sideEffects)
		effective := d.Effective()
		assert.Equal(t, c.want, effective.Reversibility, name)
		assert.Equal(t, effective, effective.Effective(), name)
		assert.Equal(t, c.want, d.Summary().Reversibility, "a summary loses the side effects: "+name)
	}
}

func TestResolved_ALowerEffectLowersTheClass(t *testing.T) {
	t.Parallel()
	d := build(t, writing().Effect(risk.Destructive).SideEffects(outside).
		Resolve(contract.Least{Effect: risk.ReadOnly}, asDeclared)).Document()
	require.Equal(t, risk.Irreversible, d.Reversibility)
	for effect, want := range map[risk.Effect]risk.Reversibility{
		0: risk.Irreversible, risk.Destructive: risk.Irreversible, risk.PaidOperation: risk.ReversibleOutside,
		risk.LowRiskWrite: risk.ReversibleOutside, risk.ReadOnly: risk.Unchanging,
	} {
		now, err := d.Resolved(contract.Resolution{Effect: effect})
		require.NoError(t, err)
		assert.Equal(t, want, now.Reversibility, "%v", effect)
	}

	short := contract.Document{Effect: risk.LowRiskWrite, SideEffects: []contract.SideEffect{{Description: "It says no more."}},
		Reversibility: risk.Reversible, Risk: risk.Medium}
	now, err := short.Resolved(contract.Resolution{})
	require.NoError(t, err)
	assert.Equal(t, risk.Reversible, now.Reversibility, "the class of a summary stays")
}

func TestBaseDocument_HasNoClass(t *testing.T) {
	t.Parallel()
	d, err := contract.Base{Effect: risk.LowRiskWrite, SideEffects: []contract.SideEffect{undone}}.Document("note")
	require.NoError(t, err)
	assert.Zero(t, d.Reversibility, "the clauses of one tool decide it")
}
