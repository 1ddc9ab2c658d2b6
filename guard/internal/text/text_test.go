package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/guard/internal/text"
)

func TestCut_EndsAtARune(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""},
		{"äb", 2, "ä"}, {"äb", 1, ""}, {"a€", 3, "a"}, {"a€", 2, "a"},
	} {
		assert.Equal(t, test.want, text.Cut(test.text, test.n), "%q at %d", test.text, test.n)
	}
}

func TestShorten_CountsTheMissingCharacters(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "four", text.Shorten("four", 4))
	assert.Equal(t, "€… (2 more characters)", text.Shorten("€€ä", 4))
	assert.Equal(t, "… (1 more characters)", text.Shorten("€", 2))
}

func TestDefuse_LeavesOneLineWithoutHiddenCharacters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"plain text stays":                    {"Pay 5 € to Zoë", "Pay 5 € to Zoë"},
		"line breaks become blanks":           {"a\r\nb\tc", "a  b c"},
		"other line breaks become escapes":    {"a\u2028b\u2029c", `a\u2028b\u2029c`},
		"an escape sequence is written out":   {"a\x1b[2Jb", `a\u001b[2Jb`},
		"a reversed text is written out":      {"a\u202eb", `a\u202eb`},
		"a character of a tag is written out": {"a\U000e0041b", `a\U000e0041b`},
		"an invalid byte is written out":      {"a\xffb", `a\ufffdb`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := text.Defuse(test.text)
			assert.Equal(t, test.want, got)
			assert.Equal(t, got, text.Defuse(got), "the text is clean after one pass")
		})
	}
}

func TestLine_DefusesBeforeItShortens(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a b… (1 more characters)", text.Line("a\nbc", 3))
}

func TestQuote_ReturnsABoundedLineOfJSON(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `"a\n\"b\""`, text.Quote("a\n\"b\""))
	assert.Equal(t, `""`, text.Quote(""))
	long := text.Quote(strings.Repeat("€", text.MaxValue))
	assert.Less(t, len(long), text.MaxValue+50)
	assert.Contains(t, long, "more characters")
}

func TestNeutralizeFatal_RewritesEveryMark(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                       "",
		"no mark":                "no mark",
		"[FATAL] a [fatal]":      "(FATAL) a (fatal)",
		"[[FaTaL]]":              "[(FaTaL)]",
		"[FATAL":                 "[FATAL",
		"[FATAL][FATAL]":         "(FATAL)(FATAL)",
		"ä[FATAL]ä":              "ä(FATAL)ä",
		"[FA[FATAL]TAL]":         "[FA(FATAL)TAL]",
		"[FATAL ] is not a mark": "[FATAL ] is not a mark",
	} {
		assert.Equal(t, want, text.NeutralizeFatal(given), "%q", given)
	}
}

func TestOfError_IsBoundedCleanAndNotFatal(t *testing.T) {
	t.Parallel()
	clean, removed := text.OfError("[FATAL] a\u202eb")
	assert.Equal(t, "(FATAL) ab", clean)
	assert.Equal(t, 1, removed)

	// A mark that shows only after a hidden character was removed counts too.
	clean, removed = text.OfError("[FA\u200bTAL]")
	assert.Equal(t, "(FATAL)", clean)
	assert.Equal(t, 1, removed)

	clean, _ = text.OfError(strings.Repeat("€", text.MaxNote))
	assert.LessOrEqual(t, len(clean), text.MaxNote)
	assert.True(t, utf8.ValidString(clean))
}
