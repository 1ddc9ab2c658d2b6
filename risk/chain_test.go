package risk_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/risk"
)

func ExampleChain() {
	var chain risk.Chain
	chain = chain.After(risk.Unchanging, risk.Low)
	chain = chain.After(risk.Irreversible, risk.Critical)
	fmt.Println(chain)
	fmt.Println(chain.Reaches(risk.Chain{Irreversible: 1}), chain.Reaches(risk.Chain{Irreversible: 2}))
	// Output:
	// 2 calls, 1 that cannot be undone, highest risk critical
	// true false
}

func TestChain_OnlyGrows(t *testing.T) {
	t.Parallel()
	high := risk.Chain{}.After(risk.ReversibleOutside, risk.High)
	assert.Equal(t, risk.Chain{Calls: 1, Reversibility: risk.ReversibleOutside, Level: risk.High}, high)
	assert.Equal(t, risk.Chain{Calls: 2, Reversibility: risk.ReversibleOutside, Level: risk.High},
		high.After(risk.Unchanging, risk.Low))
}

func TestChain_WhatIsNotKnownCountsAsTheHighest(t *testing.T) {
	t.Parallel()
	want := risk.Chain{Calls: 1, Irreversible: 1, Reversibility: risk.Irreversible, Level: risk.Forbidden}
	assert.Equal(t, want, risk.Chain{}.After(0, 0))
	assert.Equal(t, want, risk.Chain{}.After(200, 200))
}

func TestChain_JoinAddsUpTwoServers(t *testing.T) {
	t.Parallel()
	one := risk.Chain{}.After(risk.Irreversible, risk.Medium)
	other := risk.Chain{}.After(risk.Unchanging, risk.High).After(risk.Irreversible, risk.Low)
	assert.Equal(t, risk.Chain{Calls: 3, Irreversible: 2, Reversibility: risk.Irreversible, Level: risk.High}, one.Join(other))
	assert.Equal(t, one.Join(other), other.Join(one))
	assert.Equal(t, one, one.Join(risk.Chain{}))
}

func TestChain_ReachesEachBoundThatIsSet(t *testing.T) {
	t.Parallel()
	done := risk.Chain{}.After(risk.Reversible, risk.Medium).After(risk.Irreversible, risk.High)
	assert.False(t, done.Reaches(risk.Chain{}), "a bound without fields is none")
	assert.False(t, risk.Chain{}.Reaches(risk.Chain{Calls: 1, Irreversible: 1, Reversibility: risk.Unchanging, Level: risk.Low}))
	for _, tt := range []struct {
		bound risk.Chain
		want  bool
	}{
		{risk.Chain{Calls: 2}, true},
		{risk.Chain{Calls: 3}, false},
		{risk.Chain{Irreversible: 1}, true},
		{risk.Chain{Irreversible: 2}, false},
		{risk.Chain{Reversibility: risk.Irreversible}, true},
		{risk.Chain{Level: risk.High}, true},
		{risk.Chain{Level: risk.Critical}, false},
		{risk.Chain{Calls: 9, Level: risk.Low}, true},
	} {
		assert.Equal(t, tt.want, done.Reaches(tt.bound), "%+v", tt.bound)
	}
}

func TestChain_IsStoredAsJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []risk.Chain{{}, risk.Chain{}.After(risk.Irreversible, risk.Critical)} {
		raw, err := json.Marshal(c)
		require.NoError(t, err)
		var read risk.Chain
		require.NoError(t, json.Unmarshal(raw, &read))
		assert.Equal(t, c, read)
	}
}

// A chain may come from a file that somebody has changed.
func TestChain_NoNumberTakesCallsBack(t *testing.T) {
	t.Parallel()
	highest := risk.Chain{Irreversible: 1, Reversibility: risk.Irreversible, Level: risk.Forbidden}
	with := func(calls, irreversible int) risk.Chain {
		c := highest
		c.Calls, c.Irreversible = calls, irreversible
		return c
	}
	for name, c := range map[string]struct{ stored, want risk.Chain }{
		"negative numbers":     {risk.Chain{Calls: -100, Irreversible: -100}, with(1, 2)},
		"the largest numbers":  {risk.Chain{Calls: math.MaxInt, Irreversible: math.MaxInt}, with(math.MaxInt, math.MaxInt)},
		"no class":             {risk.Chain{Calls: 3}, with(4, 2)},
		"an unknown class":     {risk.Chain{Calls: 3, Reversibility: 200, Level: risk.Low}, with(4, 2)},
		"a class not counted":  {risk.Chain{Calls: 3, Reversibility: risk.Irreversible, Level: risk.Low}, with(4, 2)},
		"an unknown level":     {risk.Chain{Calls: 3, Reversibility: risk.Unchanging, Level: 200}, with(4, 1)},
		"the smallest numbers": {risk.Chain{Calls: math.MinInt, Irreversible: math.MinInt}, with(1, 2)},
	} {
		one := risk.Chain{}.After(risk.Irreversible, risk.Forbidden)
		assert.Equal(t, c.want, c.stored.After(risk.Irreversible, risk.Forbidden), name)
		assert.Equal(t, c.want, one.Join(c.stored), name)
		assert.Equal(t, c.stored.Join(risk.Chain{}), risk.Chain{}.Join(c.stored), name)
		assert.True(t, c.stored.Reaches(risk.Chain{Irreversible: 1}) || c.stored.Reaches(risk.Chain{Level: risk.Forbidden}), name)
	}
}

func TestChain_ABoundThatIsNotKnownIsTheHighest(t *testing.T) {
	t.Parallel()
	low, high := risk.Chain{}.After(risk.Unchanging, risk.Low), risk.Chain{}.After(risk.Irreversible, risk.Forbidden)
	for _, bound := range []risk.Chain{{Reversibility: 200}, {Level: 200}} {
		assert.False(t, bound.IsValid())
		assert.False(t, low.Reaches(bound))
		assert.True(t, high.Reaches(bound))
	}
	for _, bound := range []risk.Chain{{}, low, high} {
		assert.True(t, bound.IsValid())
	}
	for _, bound := range []risk.Chain{{Calls: -1}, {Irreversible: -1}} {
		assert.False(t, bound.IsValid())
	}
}
