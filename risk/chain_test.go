package risk_test

import (
	"encoding/json"
	"fmt"
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
	assert.Equal(t, risk.Chain{Calls: 2, Reversibility: risk.ReversibleOutside, Level: risk.High}, high.After(risk.Unchanging, risk.Low))
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
