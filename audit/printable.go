package audit

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// isUnprintable reports whether r is not graphic: controls, line separators,
// and format characters, which reorder or hide text.
func isUnprintable(r rune) bool { return !unicode.IsGraphic(r) }

// oneLine returns the value, quoted unless it prints on one line. A value that
// starts with a quotation mark is quoted too, so that it cannot look like
// another quoted value.
func oneLine(value string) string {
	if strings.HasPrefix(value, `"`) || !utf8.ValidString(value) || strings.ContainsFunc(value, isUnprintable) {
		return strconv.Quote(value)
	}
	return value
}

// escapeUnprintable returns the JSON with its unprintable characters escaped,
// RFC 8259 section 7. They occur only in strings, because encoding/json writes
// no whitespace and escapes C0 controls.
func escapeUnprintable(text []byte) []byte {
	if !bytes.ContainsFunc(text, isUnprintable) {
		return text
	}
	out := make([]byte, 0, len(text)+32)
	for _, r := range string(text) {
		switch {
		case !isUnprintable(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
