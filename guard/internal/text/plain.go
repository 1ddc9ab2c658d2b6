// Package text cleans and bounds the texts that a guard shows to people,
// returns to callers, and writes to the audit log.
package text

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/trust"
)

// MaxValue is the maximum length in bytes of a value shown to a person.
const MaxValue = 400

// Cut shortens s to at most n bytes, at a rune boundary.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Shorten cuts a text to at most limit bytes and appends how many characters
// are missing.
func Shorten(text string, limit int) string {
	kept := Cut(text, limit)
	if kept == text {
		return text
	}
	return kept + fmt.Sprintf("… (%d more characters)", utf8.RuneCountInString(text[len(kept):]))
}

// Line defuses a text and shortens it to limit bytes.
func Line(text string, limit int) string { return Shorten(Defuse(text), limit) }

// Quote returns a caller's string as JSON, on one line.
func Quote(text string) string {
	raw, err := json.Marshal(Shorten(text, MaxValue))
	if err != nil {
		return `""`
	}
	return Defuse(string(raw))
}

var oneLine = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ", "\u2028", `\u2028`, "\u2029", `\u2029`)

// Defuse returns a text, on one line, that cannot mislead a terminal or a
// reader. If it contains any misleading character, every invisible one is
// written as an escape, so that nothing is hidden.
func Defuse(text string) string {
	if _, removed := trust.Sanitize(text); removed > 0 {
		text = escapeInvisible(text)
	}
	return oneLine.Replace(text)
}

func escapeInvisible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsGraphic(r) && !unicode.Is(unicode.Variation_Selector, r) &&
			!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && r != utf8.RuneError:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	clean, _ := trust.Sanitize(b.String())
	return clean
}
