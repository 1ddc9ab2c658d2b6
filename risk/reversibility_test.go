package risk_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/risk"
)

func TestReversibilityOrder(t *testing.T) {
	t.Parallel()
	ascending := enumtest.All[risk.Reversibility]()
	for i, r := range ascending {
		assert.Equal(t, r, r.Effective())
		for j, threshold := range ascending {
			assert.Equal(t, i >= j, r.AtLeast(threshold), "%v.AtLeast(%v)", r, threshold)
		}
	}
	for _, unknown := range []risk.Reversibility{0, 5, 255} {
		assert.Equal(t, risk.Irreversible, unknown.Effective(), "%v", unknown)
	}
}

func TestReversibility_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[risk.Reversibility](t, "reversibility", "", "read-only", "reversible", "reversible-outside", "irreversible")
}
