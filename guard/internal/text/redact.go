package text

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	redacted = "[redacted]"
	// maxRedacted bounds the text to search, in bytes, maxHidden the number of
	// values, maxSearch the product of both, and maxMarked the bytes of all
	// occurrences, which overlap in a text such as aaaa. Beyond any bound the
	// whole text is redacted.
	maxRedacted = 64 << 10
	maxHidden   = 1000
	maxSearch   = 1 << 20
	maxMarked   = 4 << 20
	// minEncoded is the length in bytes from which a value is found in every
	// form, and minInWord that from which it is found within a word. A shorter
	// one would be found by chance.
	minEncoded = 4
	minInWord  = 3
)

// Redact replaces every occurrence of the values in text, in the forms in which
// Go's packages write a value: as it is, quoted, in a URL, in hexadecimal, in
// base64, as the numbers of its bytes, and in one of these forms within
// another. It doesn't look for a value of fewer than four bytes in hexadecimal
// or base64, and finds one of fewer than three only if no letter or digit is
// next to it. It does not recognise a value that was cut, changed or encoded in
// another way.
func Redact(text string, values []string) string { return RedactPart(text, len(text), values) }

// RedactPart is [Redact] for one of several texts, of which size bytes have
// been searched with this one. The bounds are those for all of them.
func RedactPart(text string, size int, values []string) string {
	if len(values) == 0 {
		return text
	}
	if size > maxRedacted || len(values) > maxHidden || size*len(values) > maxSearch {
		return redacted
	}
	var spelt [][]byte
	for _, v := range values {
		spelt = append(spelt, spellings(v)...)
	}
	hide := make([]bool, len(text))
	room := maxMarked
	for _, v := range readings(text) {
		for _, one := range append(v.encoded(), v) {
			if room = one.markAll(hide, spelt, room); room < 0 {
				return redacted
			}
		}
	}
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !hide[i]:
			b.WriteByte(text[i])
		case i == 0 || !hide[i-1]:
			b.WriteString(redacted)
		}
	}
	return b.String()
}

// spellings returns a value and what Go prints for the bytes, the time or the
// float that a handler may have decoded it to.
func spellings(v string) [][]byte {
	all := []string{v}
	if raw, err := base64.StdEncoding.DecodeString(v); err == nil {
		all = append(all, string(raw))
	}
	if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
		all = append(all, t.String(), t.UTC().String())
	}
	if f, err := strconv.ParseFloat(v, 64); err == nil {
		all = append(all, fmt.Sprint(f), fmt.Sprintf("%f", f))
	}
	var spelt [][]byte
	for _, one := range all {
		if one != "" {
			spelt = append(spelt, []byte(one))
		}
	}
	return spelt
}

// markAll marks every occurrence of the values in the text, including those
// that overlap, as long as there is room for their bytes. It returns the room
// that is left.
func (r *reading) markAll(hide []bool, values [][]byte, room int) int {
	for _, v := range values {
		for at := 0; room >= 0; at++ {
			i := bytes.Index(r.data[at:], v)
			if i < 0 {
				break
			}
			at += i
			room -= len(v)
			if len(v) >= minEncoded || r.hasShort(at, at+len(v)) {
				for j := r.from[at]; j < r.to[at+len(v)-1]; j++ {
					hide[j] = true
				}
			}
		}
	}
	return room
}

// hasShort reports whether a match of a short value is more than coincidence.
func (r *reading) hasShort(from, to int) bool {
	switch {
	case r.form == numbers:
		return to-from == len(r.data)
	case r.form == digits:
		return false
	case to-from >= minInWord:
		return true
	}
	before, _ := utf8.DecodeLastRune(r.data[:from])
	after, _ := utf8.DecodeRune(r.data[to:])
	isPart := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	return !isPart(before) && !isPart(after)
}
