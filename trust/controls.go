package trust

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
	del = 0x7f

	// The C1 controls that introduce or end a sequence, ECMA-48 section 5.3.
	c1DCS = 0x90
	c1SOS = 0x98
	c1CSI = 0x9b
	c1ST  = 0x9c
	c1OSC = 0x9d
	c1PM  = 0x9e
	c1APC = 0x9f
)

// removeControls removes characters that never stay, in any position, and
// replaces invalid UTF-8. It is idempotent.
func removeControls(s string) (string, int) {
	e := edit{text: s}
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < del || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		end := i + size
		switch {
		case r == utf8.RuneError && size == 1:
			e.replace(i, end, "\uFFFD")
		case r == '\r' && strings.HasPrefix(s[end:], "\n"):
			end++
		case r == '\r':
			e.replace(i, end, "\n")
		case r == esc || isC1(r):
			end = sequenceEnd(s, i, r)
			e.replace(i, end, "")
		case r == blackFlag:
			end += flagTagsLen(s[end:])
		case isNeverShown(r):
			e.replace(i, end, "")
		}
		i = end
	}
	return e.finish()
}

// isC1 reports whether r is an 8-bit control, ECMA-48 section 5.3.
func isC1(r rune) bool { return r >= 0x80 && r <= 0x9f }

// isNeverShown reports whether r is a control, or a character without width or
// picture of its own that no word needs.
func isNeverShown(r rune) bool {
	switch {
	case r < ' ' || r >= del && r <= 0x9f:
		return true
	case isContextual(r):
		return false
	case r >= 0x202a && r <= 0x202e, // bidirectional embeddings and overrides
		r >= 0x2060 && r <= 0x206f,   // word joiner, invisible operators, isolates, deprecated controls
		r >= 0xfff0 && r <= 0xfffb,   // unassigned default-ignorable, interlinear annotation
		r >= 0x1bca0 && r <= 0x1bca3, // shorthand
		r >= 0x1d173 && r <= 0x1d17a, // musical
		r >= 0xe0000 && r <= 0xe0fff: // tags and all of their plane that is default-ignorable
		return true
	case r == 0x00ad || r == 0x200b || r == 0xfeff:
		return true
	default:
		return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	}
}

// sequenceEnd returns the end of the control sequence that the control r
// introduces at s[start].
func sequenceEnd(s string, start int, r rune) int {
	i := start + utf8.RuneLen(r)
	if r == esc {
		if i == len(s) {
			return i
		}
		// ESC and a letter from @ to _ is the 7-bit form of a C1 control.
		if c := s[i]; c >= '@' && c <= '_' {
			r = rune(c) + 0x40
			i++
		} else {
			return plainEscapeEnd(s, i)
		}
	}
	switch r {
	case c1CSI:
		return csiEnd(s, i)
	case c1OSC, c1DCS, c1SOS, c1PM, c1APC:
		return controlStringEnd(s, i)
	default:
		return i
	}
}

// plainEscapeEnd returns the end of an escape sequence that is not the form of
// a C1 control: intermediate bytes and a final byte, ECMA-48 section 5.3.3 and
// ECMA-35. Without a final byte, the sequence ends after the intermediate
// bytes.
func plainEscapeEnd(s string, i int) int {
	i = skip(s, i, ' ', '/')
	if i < len(s) && s[i] >= '0' && s[i] <= '~' {
		i++
	}
	return i
}

// csiEnd returns the end of a control sequence: parameters, intermediates and a
// final byte, ECMA-48 section 5.4. Without a final byte, the sequence ends
// after the intermediates.
func csiEnd(s string, i int) int {
	i = skip(s, i, '0', '?')
	i = skip(s, i, ' ', '/')
	if i < len(s) && s[i] >= '@' && s[i] <= '~' {
		i++
	}
	return i
}

// skip returns the index of the first byte of s, from i on, that is outside lo
// to hi.
func skip(s string, i int, lo, hi byte) int {
	for i < len(s) && s[i] >= lo && s[i] <= hi {
		i++
	}
	return i
}

// controlStringEnd returns the end of a control string whose content begins at
// s[start]: after ST or BEL.
//
// Some other control characters break off the string in a terminal. Then it
// ends with its line, so that a text that was cut in two loses at most one
// line. It never ends after that control character, so no byte is scanned
// twice.
func controlStringEnd(s string, start int) int {
	i := start
scan:
	for i < len(s) {
		switch c := s[i]; {
		case c == bel:
			return i + 1
		case c == esc:
			if strings.HasPrefix(s[i+1:], `\`) {
				return i + 2
			}
			break scan
		case c == can || c == sub:
			break scan
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == c1ST {
				return i + size
			}
			if isC1(r) {
				break scan
			}
			i += size
		default:
			i++
		}
	}
	if eol := strings.IndexAny(s[start:i], "\r\n"); eol >= 0 {
		return start + eol
	}
	return i
}
