package text

import (
	"strings"

	"github.com/toolcontract/toolcontract/trust"
)

// FatalMark starts the text of a fatal error. Agent loops abort a run when they
// see it.
const FatalMark = "[FATAL]"

// MaxNote is the maximum length in bytes of a text that a tool author adds to a
// result, such as the text of an error.
const MaxNote = 1 << 10

// OfError cleans the text of an error that leaves the server: it cuts it to
// [MaxNote], sanitizes it, and makes sure that it cannot abort an agent's run.
// The second result is the number of characters removed.
func OfError(s string) (string, int) {
	clean, removed := trust.Sanitize(Cut(s, MaxNote))
	return NeutralizeFatal(clean), removed
}

// NeutralizeFatal rewrites every [FatalMark], in any case, to a form that
// clients ignore.
func NeutralizeFatal(s string) string {
	var b strings.Builder
	for {
		i := indexFold(s, FatalMark)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i] + "(" + s[i+1:i+len(FatalMark)-1] + ")")
		s = s[i+len(FatalMark):]
	}
}

// indexFold returns the index of a mark in s, whatever its case, or -1. The
// mark must be ASCII, and its first character must not be a letter.
func indexFold(s, mark string) int {
	for i := 0; i+len(mark) <= len(s); i++ {
		next := strings.IndexByte(s[i:], mark[0])
		if next < 0 || i+next+len(mark) > len(s) {
			return -1
		}
		if i += next; strings.EqualFold(s[i:i+len(mark)], mark) {
			return i
		}
	}
	return -1
}
