package adapter

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMessageLimit_Saturates(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 1+envelopeBytes, messageLimit(1))
	assert.Equal(t, math.MaxInt, messageLimit(math.MaxInt64))
	assert.Equal(t, math.MaxInt, messageLimit(math.MaxInt-envelopeBytes))
	assert.Equal(t, math.MaxInt-1, messageLimit(math.MaxInt-envelopeBytes-1))
}
