package trust

import (
	"strings"
	"unicode/utf8"
)

// Sanitize returns the text without characters that hide or reorder text or
// control a terminal, and how many runes it removed or replaced. A text without
// such characters is returned unchanged and without allocation, and only then
// is removed 0. The result is valid UTF-8, and Sanitize is idempotent.
//
// Sanitize removes:
//   - Terminal escapes with their content: CSI, OSC, DCS, APC, PM and SOS
//     sequences, two-character escapes and a lone ESC, introduced by ESC or by
//     a C1 control. An unterminated control string ends with its line.
//   - C0 controls except tab, line feed and CR LF; DEL; C1 controls. A CR
//     without LF becomes a line feed, because it lets a text overwrite its own
//     line.
//   - Bidirectional embeddings, overrides and isolates (U+202A–202E,
//     U+2066–2069).
//   - Characters without width or picture of their own: zero width space, word
//     joiner, byte order mark, soft hyphen, combining grapheme joiner,
//     invisible operators, Hangul fillers, Khmer inherent vowels; interlinear
//     annotation, shorthand and musical format controls; every other
//     default-ignorable code point.
//   - Tag characters, except in the flags of England, Scotland and Wales.
//   - Variation selectors, except one directly after a character that takes it:
//     U+FE0E or U+FE0F after a pictograph or in a keycap, U+FE00–FE02 and
//     U+E0100–E01EF after an ideograph, U+FE00 after a letter of Myanmar and
//     Phags-pa, U+180B–180D and U+180F after a Mongolian letter.
//   - Joiners (ZWJ, ZWNJ), except one beside a letter of a script whose words
//     need them, such as Arabic or Devanagari, and a ZWJ between two
//     pictographs. U+180E stays between Mongolian letters.
//   - Directional marks (LRM, RLM, ALM), except one between two characters in a
//     text that has a letter written from right to left. They move only neutral
//     characters beside them, and texts in Arabic and Hebrew need them.
//
// Each byte of invalid UTF-8, such as a raw 8-bit control, is replaced by
// U+FFFD.
//
// Emoji, combining marks, Arabic, Hebrew, Indic scripts, Thai and CJK stay byte
// for byte. Line and paragraph separators (U+2028, U+2029), private use
// characters and wide spaces stay too, because they are visible.
//
// The invisible characters that stay can carry a few hidden bits for each
// letter of a script that needs joiners. Sanitize limits this channel, but does
// not close it.
func Sanitize(s string) (clean string, removed int) {
	if isPlain(s) {
		return s, 0
	}
	// Two passes, because a joiner is judged by its neighbours after the first
	// pass has removed everything that never stays.
	visible, dropped := removeControls(s)
	clean, misplaced := removeMisplaced(visible)
	return clean, dropped + misplaced
}

// isPlain reports whether s is printable ASCII with tabs and line feeds, as
// most results are.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\t' && c != '\n' {
			return false
		}
	}
	return true
}

// An edit copies a text without the parts that are replaced. It copies nothing
// before the first replacement.
type edit struct {
	text    string
	out     strings.Builder
	copied  int // bytes of text that are in out already, or left out
	changed int // runes left out or replaced
}

// replace replaces text[from:to], which must follow every earlier replacement.
func (e *edit) replace(from, to int, with string) {
	if e.changed == 0 {
		e.out.Grow(len(e.text))
	}
	e.out.WriteString(e.text[e.copied:from])
	e.out.WriteString(with)
	e.copied = to
	e.changed += utf8.RuneCountInString(e.text[from:to])
}

// finish returns the edited text and how many runes of the original were
// dropped or replaced.
func (e *edit) finish() (string, int) {
	if e.changed == 0 {
		return e.text, 0
	}
	e.out.WriteString(e.text[e.copied:])
	return e.out.String(), e.changed
}
