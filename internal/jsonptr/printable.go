package jsonptr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPrintable is the longest pointer, in bytes, that [Printable] returns.
const MaxPrintable = 256

// Printable makes a pointer fit to be shown: names in it may be a stranger's words. Invalid UTF-8, control, format
// and bidirectional characters become U+FFFD, and a pointer longer than [MaxPrintable] bytes is cut, an ellipsis
// marking the place. What it returns starts with "/" wherever pointer does.
func Printable(pointer string) string {
	var b strings.Builder
	for _, r := range pointer {
		if !unicode.IsPrint(r) {
			r = utf8.RuneError
		}
		if b.Len()+utf8.RuneLen(r) > MaxPrintable-len("…") {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
