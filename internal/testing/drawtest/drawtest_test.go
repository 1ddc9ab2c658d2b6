package drawtest_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/testing/drawtest"
)

func TestCheck_DrawsEveryChoiceAndTheSameEachTime(t *testing.T) {
	cases := func() (drawn [][]int) {
		t.Run("cases", func(t *testing.T) {
			drawtest.Check(t, func(t *drawtest.T) {
				some := drawtest.Some(t, 2, 0, 1, 2)
				assert.True(t, slices.IsSorted(some))
				drawn = append(drawn, append(some, 10+t.Int(0, 3), drawtest.One(t, 20, 21)))
				if t.Bool() {
					drawn = append(drawn, []int{len(t.Text())})
				}
			})
		})
		return drawn
	}
	first := cases()
	assert.Equal(t, first, cases())
	for _, choice := range []int{0, 1, 2, 10, 11, 12, 13, 20, 21} {
		assert.True(t, slices.ContainsFunc(first, func(one []int) bool { return slices.Contains(one, choice) }), choice)
	}

	t.Setenv("TOOLCONTRACT_SEED", "7000")
	assert.NotEqual(t, first, cases())
	t.Setenv("TOOLCONTRACT_CASES", "3")
	assert.Less(t, len(cases()), 7)
}
