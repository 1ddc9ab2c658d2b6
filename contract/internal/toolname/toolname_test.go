package toolname_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract/internal/toolname"
)

func TestIsValid(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "notes.write", "a-b.C_1.2", strings.Repeat("n", toolname.MaxLength)} {
		assert.True(t, toolname.IsValid(name), name)
	}
	for _, name := range []string{"", ".", "a.", ".a", "a..b", "a b", "ä", "a\n", strings.Repeat("n", toolname.MaxLength+1)} {
		assert.False(t, toolname.IsValid(name), name)
	}
}
