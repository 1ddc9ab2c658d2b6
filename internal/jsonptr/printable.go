package jsonptr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPrintable bounds the pointers that [Printable] returns, in bytes.
const MaxPrintable = 256

// Printable returns a pointer that is safe to show, because a caller may have
// chosen the names in it. Invalid UTF-8, control, format and bidirectional
// characters become U+FFFD. A pointer of more than [MaxPrintable] bytes is cut,
// and an ellipsis marks the cut. The result starts with "/" if the pointer
// does.
func Printable(pointer string) string {
	var b strings.Builder
	b.Grow(min(len(pointer), MaxPrintable))
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
