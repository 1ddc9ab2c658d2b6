package risk_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/risk"
)

func ExampleEffect_DefaultLevel() {
	fmt.Println(risk.LowRiskWrite.DefaultLevel(), "but never below", risk.LowRiskWrite.Floor())
	fmt.Println(risk.Destructive.DefaultLevel(), "but never below", risk.Destructive.Floor())
	// Output:
	// medium but never below low
	// critical but never below critical
}

func TestEffectLevels(t *testing.T) {
	t.Parallel()
	tests := []struct {
		effect          risk.Effect
		floor, byItself risk.Level
	}{
		{risk.ReadOnly, risk.Low, risk.Low},
		{risk.LowRiskWrite, risk.Low, risk.Medium},
		{risk.HighRiskWrite, risk.High, risk.High},
		{risk.ExternalPublication, risk.Critical, risk.Critical},
		{risk.PaidOperation, risk.Critical, risk.Critical},
		{risk.Destructive, risk.Critical, risk.Critical},
		{risk.UndeclaredEffect, risk.Critical, risk.Critical},
		{7, risk.Critical, risk.Critical},
		{255, risk.Critical, risk.Critical},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.floor, tt.effect.Floor(), "%v", tt.effect)
		assert.Equal(t, tt.byItself, tt.effect.DefaultLevel(), "%v", tt.effect)
		assert.True(t, tt.effect.DefaultLevel().AtLeast(tt.effect.Floor()), "%v", tt.effect)
	}
}

func TestEffectOrder(t *testing.T) {
	t.Parallel()
	ascending := risk.Effects()
	for i, e := range ascending {
		assert.Equal(t, e, e.Effective())
		for j, threshold := range ascending {
			assert.Equal(t, i >= j, e.AtLeast(threshold), "%v.AtLeast(%v)", e, threshold)
		}
	}
	for _, unknown := range []risk.Effect{risk.UndeclaredEffect, 7, 255} {
		assert.Equal(t, risk.Destructive, unknown.Effective(), "%v", unknown)
		for _, e := range ascending {
			assert.True(t, unknown.AtLeast(e), "%v never compares as milder than %v", unknown, e)
			assert.Equal(t, e == risk.Destructive, e.AtLeast(unknown), "%v.AtLeast(%v)", e, unknown)
		}
	}
}

func TestEffectText(t *testing.T) {
	t.Parallel()
	texts := map[risk.Effect]string{
		risk.ReadOnly: "read-only", risk.LowRiskWrite: "low-risk-write",
		risk.HighRiskWrite: "high-risk-write", risk.ExternalPublication: "external-publication",
		risk.PaidOperation: "paid-operation", risk.Destructive: "destructive",
	}
	require.Len(t, risk.Effects(), len(texts))
	for _, e := range risk.Effects() {
		assert.True(t, e.IsValid())
		assert.Equal(t, texts[e], e.String())
		text, err := e.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, texts[e], string(text))
		var got risk.Effect
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, e, got)
	}
	assert.Equal(t, "undeclared", risk.UndeclaredEffect.String())
	assert.Equal(t, "effect(42)", risk.Effect(42).String())
}

func TestEffectWithoutText(t *testing.T) {
	t.Parallel()
	for _, e := range []risk.Effect{risk.UndeclaredEffect, 7, 255} {
		assert.False(t, e.IsValid())
		_, err := e.MarshalText()
		assert.Error(t, err, "%v", e)
	}
	for _, text := range []string{"", "Read-Only", "readonly", "read_only", "undeclared", "effect(1)", "hunter2"} {
		e := risk.PaidOperation
		err := e.UnmarshalText([]byte(text))
		require.Error(t, err, "%q", text)
		assert.Equal(t, risk.PaidOperation, e, "%q leaves the receiver alone", text)
		for _, allowed := range risk.Effects() {
			assert.ErrorContains(t, err, allowed.String())
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestEffectIsOmittedFromJSONWhereUndeclared(t *testing.T) {
	t.Parallel()
	type document struct {
		Effect risk.Effect `json:"effect,omitzero"`
	}
	empty, err := json.Marshal(document{})
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(empty))
	full, err := json.Marshal(document{risk.Destructive})
	require.NoError(t, err)
	assert.JSONEq(t, `{"effect":"destructive"}`, string(full))
}
