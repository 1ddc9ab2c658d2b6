package trust

import (
	"unicode"
	"unicode/utf8"
)

const (
	zwnj = 0x200c
	zwj  = 0x200d
	lrm  = 0x200e
	rlm  = 0x200f
	alm  = 0x061c // Arabic letter mark
	mvs  = 0x180e // Mongolian vowel separator
)

// isContextual reports whether r is invisible but has a meaning in some
// positions: joiners, directional marks and variation selectors.
func isContextual(r rune) bool {
	switch r {
	case zwnj, zwj, lrm, rlm, alm, mvs:
		return true
	default:
		return isSelector(r)
	}
}

// isSelector reports whether r selects a variant of the character before it.
func isSelector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180d || r == 0x180f
}

// removeMisplaced removes contextual runes that have no meaning in their
// position. Only the characters on both sides of a run decide, and these stay,
// so the function is idempotent.
func removeMisplaced(s string) (string, int) {
	e := edit{text: s}
	direction := direction{text: s}
	var before rune
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isContextual(r) {
			before = r
			i += size
			continue
		}
		end, after := runEnd(s, i)
		g := gap{before: before, after: after}
		for i < end {
			r, size := utf8.DecodeRuneInString(s[i:])
			if !g.admits(r, &direction) {
				e.replace(i, i+size, "")
			}
			i += size
		}
	}
	return e.finish()
}

// runEnd returns the end of the run of contextual runes that begins at s[i],
// and the rune after it, which is 0 at the end of the text.
func runEnd(s string, i int) (end int, after rune) {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isContextual(r) {
			return i, r
		}
		i += size
	}
	return i, 0
}

// A gap is the position between two characters, which are 0 at the edges of the
// text. It admits one rune of each kind, and a selector only as the first, and
// records what it has admitted.
type gap struct {
	before, after              rune
	selected, joined, directed bool
}

// admits reports whether r may stay in the gap, and records it if so.
func (g *gap) admits(r rune, d *direction) bool {
	switch {
	case isSelector(r):
		if g.selected || g.joined || g.directed || !takesSelector(g.before, r, g.after) {
			return false
		}
		g.selected = true
	case r == lrm || r == rlm || r == alm:
		if g.directed || !d.hasRightToLeft() {
			return false
		}
		g.directed = true
	default:
		if g.joined || !joins(g.before, r, g.after) {
			return false
		}
		g.joined = true
	}
	return true
}

// takesSelector reports whether the selector has a meaning between base and
// after.
func takesSelector(base, selector, after rune) bool {
	switch {
	case selector == 0xfe0e || selector == 0xfe0f:
		return isPictograph(base) || isKeycapBase(base) && after == enclosingKeycap
	case selector >= 0xe0100, selector == 0xfe01, selector == 0xfe02:
		return unicode.Is(unicode.Han, base)
	case selector == 0xfe00:
		return unicode.In(base, unicode.Han, unicode.Myanmar, unicode.Phags_Pa)
	case selector < 0xfe00:
		return unicode.Is(unicode.Mongolian, base)
	default:
		return false
	}
}

// joins reports whether a ZWJ, a ZWNJ or a Mongolian vowel separator has a
// meaning between the two characters.
func joins(before, joiner, after rune) bool {
	if joiner == mvs {
		return unicode.Is(unicode.Mongolian, before) && unicode.Is(unicode.Mongolian, after)
	}
	if joiner == zwj && isEmojiPart(before) && isPictograph(after) {
		return true
	}
	// One side is enough: a joiner ends words in Malayalam, begins them in
	// Arabic grammars, and separates a Latin abbreviation from its Persian
	// ending.
	return isJoiningLetter(before) || isJoiningLetter(after)
}

// isJoiningLetter reports whether r is a letter, mark or digit of a script in
// which joiners select the form of their neighbours.
func isJoiningLetter(r rune) bool {
	switch {
	case r >= 0x0600 && r <= 0x0dff, // Arabic, Syriac, N'Ko, Mandaic; Devanagari to Sinhala
		r >= 0x0f00 && r <= 0x109f,   // Tibetan, Myanmar
		r >= 0x1780 && r <= 0x18af,   // Khmer, Mongolian
		r >= 0x1900 && r <= 0x1cff,   // Limbu to Vedic marks
		r >= 0xa840 && r <= 0xa8ff,   // Phags-pa, Saurashtra, Devanagari Extended
		r >= 0xa930 && r <= 0xaaff,   // Rejang to Meetei Mayek
		r >= 0xabc0 && r <= 0xabff,   // Meetei Mayek
		r >= 0xfb50 && r <= 0xfdff,   // Arabic presentation forms A
		r >= 0xfe70 && r <= 0xfefc,   // Arabic presentation forms B
		r >= 0x10a00 && r <= 0x11fff, // Kharoshthi to Tamil Supplement
		r >= 0x1e900 && r <= 0x1e95f: // Adlam
		return unicode.In(r, unicode.L, unicode.M, unicode.Nd)
	default:
		return false
	}
}

// A direction computes, at most once and only on demand, whether a text has a
// letter that is written from right to left.
type direction struct {
	text                 string
	scanned, rightToLeft bool
}

func (d *direction) hasRightToLeft() bool {
	if !d.scanned {
		d.scanned = true
		for _, r := range d.text {
			if isRightToLeft(r) {
				d.rightToLeft = true
				break
			}
		}
	}
	return d.rightToLeft
}

// isRightToLeft reports whether r is a letter in the blocks that Unicode
// reserves for scripts written from right to left, UAX #9 section 3.2.
func isRightToLeft(r rune) bool {
	switch {
	case r >= 0x0590 && r <= 0x08ff, r >= 0xfb1d && r <= 0xfdff, r >= 0xfe70 && r <= 0xfefc,
		r >= 0x10800 && r <= 0x10fff, r >= 0x1e800 && r <= 0x1efff:
		return unicode.IsLetter(r)
	default:
		return false
	}
}
