// Package servertext cleans and cuts the texts of servers that are not trusted.
package servertext

import (
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/trust"
)

// Bounded returns a text without characters that hide or reorder text. A text
// longer than limit bytes is cut at a character boundary, and "…" follows.
// Bounded reports whether the text was cut.
func Bounded(text string, limit int) (clean string, cut bool) {
	// Cut first, because cleaning takes time for each byte.
	if cut = len(text) > limit; cut {
		end := limit
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	clean, _ = trust.Sanitize(text)
	return clean, cut
}
