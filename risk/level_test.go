package risk_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/risk"
)

func ExampleLevel_AtLeast() {
	var undeclared risk.Level
	fmt.Println(risk.Medium.AtLeast(risk.High))
	fmt.Println(risk.Critical.AtLeast(risk.High))
	fmt.Println(undeclared.AtLeast(risk.High))
	// Output:
	// false
	// true
	// true
}

func TestLevelOrder(t *testing.T) {
	t.Parallel()
	ascending := enumtest.All[risk.Level]()
	for i, l := range ascending {
		for j, threshold := range ascending {
			assert.Equal(t, i >= j, l.AtLeast(threshold), "%v.AtLeast(%v)", l, threshold)
		}
	}
	for _, unknown := range []risk.Level{0, 7, 42, 255} {
		assert.True(t, unknown.AtLeast(0), "%v", unknown)
		for _, l := range ascending {
			assert.True(t, unknown.AtLeast(l), "%v never compares as lower than %v", unknown, l)
			assert.False(t, l.AtLeast(unknown), "%v never reaches the threshold %v", l, unknown)
		}
	}
}

func TestLevel_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[risk.Level](t, "level", "", "low", "medium", "high", "critical", "restricted", "forbidden")
}
