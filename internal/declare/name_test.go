package declare_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/declare"
)

func TestIsName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "notes.write", "a-b.C_1.2", strings.Repeat("n", declare.MaxName)} {
		assert.True(t, declare.IsName(name), name)
	}
	for _, name := range []string{"", ".", "a.", ".a", "a..b", "a b", "ä", "a\n", strings.Repeat("n", declare.MaxName+1)} {
		assert.False(t, declare.IsName(name), name)
	}
}
