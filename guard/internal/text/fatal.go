package text

import (
	"strings"

	"github.com/toolcontract/toolcontract/trust"
)

// FatalMark precedes the text of a fatal error. Agent loops abort a run when
// they read it.
const FatalMark = "[FATAL]"

// MaxNote bounds a text that a tool author adds beside a result, in bytes, such
// as the text of an error.
const MaxNote = 1 << 10

// OfError cleans the text of an error that leaves the server: it is bounded by
// [MaxNote], sanitized, and cannot end the run of an agent. The second result
// is the number of characters that were removed.
func OfError(s string) (string, int) {
	clean, removed := trust.Sanitize(Cut(s, MaxNote))
	return NeutralizeFatal(clean), removed
}

// NeutralizeFatal rewrites every [FatalMark], in upper or lower case, to a form
// that clients ignore.
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

// indexFold returns the index of a mark in s, in upper or lower case, or -1.
// The mark must be ASCII, and its first character must not be a letter.
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
