package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a value as JSON with a final newline. It escapes characters that
// control a terminal, or that hide or reorder text, and those that begin a CI
// runner's command, so the value stays the same. indent indents each level; if
// it is empty, the value is on one line.
func JSON(value any, indent string) ([]byte, error) {
	var encoded, out bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	for text := encoded.Bytes(); len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '#' && bytes.HasPrefix(text[size:], []byte("#")):
			out.WriteString(`\u0023`)
		case r == '\n' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && (r != utf8.RuneError || size > 1):
			out.Write(text[:size])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default: // also a byte of raw JSON that is no UTF-8
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		text = text[size:]
	}
	return out.Bytes(), nil
}
