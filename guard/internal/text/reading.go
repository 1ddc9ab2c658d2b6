package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

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
