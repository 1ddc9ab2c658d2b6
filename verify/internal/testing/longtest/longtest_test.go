package longtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/verify/internal/testing/longtest"
)

func TestCount(t *testing.T) {
	for value, want := range map[string]int{"": 3, "0": 3, "1": 1000} {
		t.Setenv("TOOLCONTRACT_LONG", value)
		assert.Equal(t, want, longtest.Count(t, 3, 1000), value)
		assert.Equal(t, want == 1000, longtest.Enabled(), value)
		ran := false
		t.Run("only "+value, func(t *testing.T) {
			longtest.Only(t)
			ran = true
		})
		assert.Equal(t, want == 1000, ran, value)
	}
}
