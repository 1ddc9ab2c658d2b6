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

func TestRedact_FindsAValueInItsForms(t *testing.T) {
	t.Parallel()
	const secret = `p"ä/ 1`
	for name, written := range map[string]string{
		"as it is":                  secret,
		"quoted by Go":              `p\"ä/ 1`,
		"in ASCII":                  `p\"\u00e4/ 1`,
		"in a query":                "p%22%C3%A4%2F+1",
		"in a path":                 "p%22%C3%A4%2F%201",
		"in hexadecimal":            "7022c3a42f2031",
		"in base64":                 "cCLDpC8gMQ==",
		"in base64 without its end": "cCLDpC8gMQ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, "before [redacted] after", text.Redact("before "+written+" after", []string{secret}))
		})
	}
	t.Run("of other types", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, "at [redacted]", text.Redact("at 2024-05-06 07:08:09 +0000 UTC", []string{"2024-05-06T07:08:09Z"}))
		assert.Equal(t, "[redacted] of 1", text.Redact("2.500000 of 1", []string{"2.5"}))
		assert.Equal(t, "bytes [redacted]", text.Redact("bytes [1 2]", []string{"AQI="}))
	})
}

func TestRedact_HidesOverlapsAndTooMuch(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "aba", text.Redact("aba", nil))
	assert.Equal(t, "aba", text.Redact("aba", []string{""}))
	assert.Equal(t, "[redacted]c", text.Redact("ababac", []string{"aba"}), "occurrences overlap")
	assert.Equal(t, "[redacted]", text.Redact(strings.Repeat("x", 64<<10+1), []string{"y"}), "the text is too long to search")
	assert.Equal(t, "[redacted]", text.Redact("x", make([]string, 1001)), "there are too many values to search for")
	assert.Equal(t, "x", text.Redact("x", make([]string, 1000)))
}
