package enum_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/enum"
)

func TestNearest_FindsTheClosestWord(t *testing.T) {
	t.Parallel()
	words := []string{"description", "permissions", "risk", "version", "rate", "date", "Größe"}
	for _, c := range []struct{ name, word, want string }{
		{"the word itself", "risk", "risk"},
		{"a letter too many", "rrisk", "risk"},
		{"a letter too few", "permisions", "permissions"},
		{"another letter", "versiom", "version"},
		{"two letters exchanged", "irsk", "risk"},
		{"three mistakes in a long word", "descrptinn", "description"},
		{"the first of equals", "gate", "rate"},
		{"a mistake in a letter of two bytes", "Grüße", "Größe"},
		{"four mistakes are too many", "dscrptn", ""},
		{"two mistakes in a short word are too many", "rxxk", ""},
		{"another word", "colour", ""},
		{"no word", "", ""},
		{"a word over 64 bytes", strings.Repeat("a", 65), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, enum.Nearest(c.word, words))
		})
	}
}

func TestNearest_IgnoresLongWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 64)
	assert.Equal(t, long, enum.Nearest(long, []string{long + "b", long}), "a candidate over 64 bytes is ignored")
	assert.Empty(t, enum.Nearest("risk", nil))
	assert.Empty(t, enum.Nearest("", []string{""}[:0]))
}
