package risk_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
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
		{0, risk.Critical, risk.Critical},
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
	ascending := enumtest.All[risk.Effect]()
	for i, e := range ascending {
		assert.Equal(t, e, e.Effective())
		for j, threshold := range ascending {
			assert.Equal(t, i >= j, e.AtLeast(threshold), "%v.AtLeast(%v)", e, threshold)
		}
	}
	for _, unknown := range []risk.Effect{0, 7, 255} {
		assert.Equal(t, risk.Destructive, unknown.Effective(), "%v", unknown)
		for _, e := range ascending {
			assert.True(t, unknown.AtLeast(e), "%v never compares as lower than %v", unknown, e)
			assert.Equal(t, e == risk.Destructive, e.AtLeast(unknown), "%v.AtLeast(%v)", e, unknown)
		}
	}
}

func TestEffect_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[risk.Effect](t, "effect", "",
		"read-only", "low-risk-write", "high-risk-write", "external-publication", "paid-operation", "destructive")
}
