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
	// values, and maxSearch the product of both. Beyond any bound the whole
	// text is redacted.
	maxRedacted = 64 << 10
	maxHidden   = 1000
	maxSearch   = 1 << 20
	// minEncoded is the length in bytes from which a value is found in every
	// form, and minInWord that from which it is found within a word. A shorter
	// one would be found by chance.
	minEncoded = 4
	minInWord  = 3
)

// Redact replaces every occurrence of the values in text, in the forms in which
// Go's packages write a value: as it is, quoted, in a URL, in hexadecimal, in
// base64 and as the numbers of its bytes, also one form within another. A value
// of fewer than four bytes is found neither in hexadecimal nor in base64, and
// one of fewer than three only where no letter or digit is next to it. Redact
// does not recognise a value that was cut, changed or encoded in another way.
func Redact(text string, values []string) string {
	if len(values) == 0 {
		return text
	}
	if len(text) > maxRedacted || len(values) > maxHidden || len(text)*len(values) > maxSearch {
		return redacted
	}
	var spelt [][]byte
	for _, v := range values {
		spelt = append(spelt, spellings(v)...)
	}
	hide := make([]bool, len(text))
	for _, v := range readings(text) {
		v.markAll(hide, spelt)
		for _, encoded := range v.encoded() {
			encoded.markAll(hide, spelt)
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

// spellings returns a value, and what Go prints for the bytes, the time or the
// float that it may have become.
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

// A reading is a text as a reader decodes it. The text has its byte i written
// from from[i] up to to[i].
type reading struct {
	data     []byte
	from, to []int
	form     form
}

// A form is how the bytes of a reading are written in its text.
type form int

const (
	characters form = iota
	numbers         // a whole list of the numbers of bytes
	digits          // hexadecimal or base64
)

func (r *reading) add(b []byte, from, to int) {
	for _, one := range b {
		r.data, r.from, r.to = append(r.data, one), append(r.from, from), append(r.to, to)
	}
}

// markAll marks every occurrence of the values in the text, including those
// that overlap.
func (r *reading) markAll(hide []bool, values [][]byte) {
	for _, v := range values {
		for at := 0; ; at++ {
			i := bytes.Index(r.data[at:], v)
			if i < 0 {
				break
			}
			at += i
			if len(v) >= minEncoded || r.hasShort(at, at+len(v)) {
				for j := r.from[at]; j < r.to[at+len(v)-1]; j++ {
					hide[j] = true
				}
			}
		}
	}
}

// hasShort reports whether the bytes of a short value are more than a chance.
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

// maxNested is how many forms of characters within each other are read, such as
// JSON within JSON.
const maxNested = 3

// readings returns a text as it is, unquoted, and decoded as a part of a URL,
// in every order.
func readings(text string) []reading {
	all := []reading{{}}
	for i := range len(text) {
		all[0].add([]byte{text[i]}, i, i+1)
	}
	begin := 0
	for range maxNested {
		end := len(all)
		for _, r := range all[begin:end] {
			for _, decode := range []func(rest []byte) ([]byte, int){unescape, unpercent, unplus} {
				if next, ok := r.decoded(decode); ok {
					all = append(all, next)
				}
			}
		}
		begin = end
	}
	return all
}

// decoded returns r with what decode returns in the place of the bytes that it
// takes. It reports false if that is the same.
func (r *reading) decoded(decode func(rest []byte) ([]byte, int)) (next reading, changed bool) {
	for i := 0; i < len(r.data); {
		b, n := decode(r.data[i:])
		if n == 0 {
			b, n = r.data[i:i+1], 1
		} else {
			changed = true
		}
		next.add(b, r.from[i], r.to[i+n-1])
		i += n
	}
	return next, changed
}

// unescape reads an escape of Go or JSON.
func unescape(rest []byte) ([]byte, int) {
	if len(rest) < 2 || rest[0] != '\\' {
		return nil, 0
	}
	if i := strings.IndexByte(`abfnrtv"'\/`, rest[1]); i >= 0 {
		return []byte{"\a\b\f\n\r\t\v\"'\\/"[i]}, 2
	}
	size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[1]]
	if size == 0 || len(rest) < 2+size {
		return nil, 0
	}
	code, err := strconv.ParseUint(string(rest[2:2+size]), 16, 32)
	switch {
	case err != nil:
		return nil, 0
	case rest[1] == 'x':
		return []byte{byte(code)}, 4
	case code>>10 == 0xd800>>10 && len(rest) >= 12 && rest[6] == '\\' && rest[7] == 'u':
		if low, err := strconv.ParseUint(string(rest[8:12]), 16, 32); err == nil && low>>10 == 0xdc00>>10 {
			return utf8.AppendRune(nil, 0x10000+rune(code&0x3ff)<<10+rune(low&0x3ff)), 12
		}
	}
	return utf8.AppendRune(nil, rune(code)), 2 + size
}

// unpercent reads a byte that is escaped in a URL.
func unpercent(rest []byte) ([]byte, int) {
	if len(rest) < 3 || rest[0] != '%' {
		return nil, 0
	}
	code, err := strconv.ParseUint(string(rest[1:3]), 16, 8)
	if err != nil {
		return nil, 0
	}
	return []byte{byte(code)}, 3
}

// unplus reads a blank of a query.
func unplus(rest []byte) ([]byte, int) {
	if rest[0] != '+' {
		return nil, 0
	}
	return []byte{' '}, 1
}
