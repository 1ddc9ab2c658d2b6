package immediate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/immediate"
)

func TestIs_KnowsAFunctionButNoneAroundIt(t *testing.T) {
	t.Parallel()
	one := immediate.Func(func() int { return 1 })
	assert.Equal(t, 1, one())
	assert.True(t, immediate.Is(one))
	assert.False(t, immediate.Is(func() int { return one() }))
	var none func()
	assert.False(t, immediate.Is(none))
}
