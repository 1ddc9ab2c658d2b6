package trust

import (
	"strings"
	"unicode/utf8"
)

// Sanitize returns the text without what hides in it, reorders it or drives a terminal, and how many
// runes were removed or replaced. A text with nothing of that kind is returned as it is, without
// allocation, with removed 0; only then is removed 0. The result is valid UTF-8, and sanitising it again
// changes nothing.
//
// What goes:
//   - terminal escapes with all they carry: CSI, OSC, DCS, APC, PM and SOS sequences, two-character
//     escapes and a lone ESC, introduced by ESC or by a C1 control. A control string that is never
//     terminated goes up to the end of its line.
//   - C0 controls but tab, line feed and CR LF; DEL; C1 controls. A CR without LF, by which a text
//     overwrites its own line, becomes a line feed.
//   - bidirectional embeddings, overrides and isolates (U+202A–202E, U+2066–2069).
//   - what has no width or picture of its own: zero width space, word joiner, byte order mark, soft
//     hyphen, combining grapheme joiner, invisible operators, Hangul fillers, Khmer inherent vowels, interlinear
//     annotation, shorthand and musical format controls, and every other default-ignorable code point.
//   - tag characters, outside the flags of England, Scotland and Wales.
//   - variation selectors, but one directly after a character that takes it: U+FE0E or U+FE0F after
//     a pictograph or in a keycap, U+FE00–FE02 and U+E0100–E01EF after an ideograph, U+FE00 after a
//     letter of Myanmar and Phags-pa, U+180B–180D and U+180F after a Mongolian letter.
//   - joiners (ZWJ, ZWNJ), but one beside a letter of a script whose words need them, such as Arabic or
//     Devanagari, and a ZWJ between two pictographs. U+180E stays between Mongolian letters.
//   - directional marks (LRM, RLM, ALM), but one between two characters where the text has a letter that
//     is written from right to left. They move nothing but neutral characters beside them, and texts
//     in Arabic and Hebrew need them.
//
// Invalid UTF-8 is replaced by U+FFFD, one for each byte, raw 8-bit controls among them.
//
// Emoji, combining marks, Arabic, Hebrew, Indic scripts, Thai and CJK stay byte for byte. Line and
// paragraph separators (U+2028, U+2029), private use and wide spaces stay too: they are seen.
//
// What stays invisible can still carry a few bits a letter for one who writes in a script that needs
// joiners; Sanitize bounds this channel and does not close it.
func Sanitize(s string) (clean string, removed int) {
	if isPlain(s) {
		return s, 0
	}
	// Two passes, because whether a joiner may stay depends on what stands beside it once all that
	// always goes is gone.
	visible, dropped := removeControls(s)
	clean, misplaced := removeMisplaced(visible)
	return clean, dropped + misplaced
}

// isPlain reports whether s is printable ASCII with tabs and line feeds, which is most of what tools
// return.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\t' && c != '\n' {
			return false
		}
	}
	return true
}

// An edit copies a text with some of it left out, and copies nothing until something is.
type edit struct {
	text    string
	out     strings.Builder
	copied  int // what of text is in out already, or left out
	changed int // runes left out or replaced
}

// replace leaves out text[from:to], which follows all that was replaced before, and puts the given text
// in its place.
func (e *edit) replace(from, to int, with string) {
	if e.changed == 0 {
		e.out.Grow(len(e.text))
	}
	e.out.WriteString(e.text[e.copied:from])
	e.out.WriteString(with)
	e.copied = to
	e.changed += utf8.RuneCountInString(e.text[from:to])
}

// finish returns the edited text and how many runes of the original were left out or replaced.
func (e *edit) finish() (string, int) {
	if e.changed == 0 {
		return e.text, 0
	}
	e.out.WriteString(e.text[e.copied:])
	return e.out.String(), e.changed
}
