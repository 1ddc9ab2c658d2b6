package guard

import (
	"strings"

	"github.com/toolcontract/toolcontract/trust"
)

// errorText cleans what an author or a downstream put into an error, bounds it,
// and takes from it the power to end an agent's run.
func errorText(s string) (string, int) {
	clean, removed := trust.Sanitize(cut(s, maxErrorText))
	return neutralizeFatal(clean), removed
}

// neutralizeFatal rewrites the fatal mark, in any case, to one that clients do
// not look for.
func neutralizeFatal(s string) string {
	var b strings.Builder
	for {
		i := indexFold(s, fatalMark)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i] + "(" + s[i+1:i+len(fatalMark)-1] + ")")
		s = s[i+len(fatalMark):]
	}
}

// indexFold finds an ASCII word in any case.
func indexFold(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
