package trust

import "strings"

const (
	blackFlag       = 0x1f3f4
	enclosingKeycap = 0x20e3
)

// flagTagsLen returns the length of a tag sequence at the start of s that turns
// a black flag into that of England, Scotland or Wales, or 0. UTS #51 section
// ED-14a recommends only these three for general interchange.
func flagTagsLen(s string) int {
	const gb = "\U000E0067\U000E0062"
	for _, tags := range [...]string{
		gb + "\U000E0065\U000E006E\U000E0067\U000E007F",
		gb + "\U000E0073\U000E0063\U000E0074\U000E007F",
		gb + "\U000E0077\U000E006C\U000E0073\U000E007F",
	} {
		if strings.HasPrefix(s, tags) {
			return len(tags)
		}
	}
	return 0
}

// isKeycapBase reports whether r can stand in a keycap, such as the 5 of 5️⃣.
func isKeycapBase(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

// isEmojiPart reports whether a ZWJ may follow r in an emoji: a pictograph or a
// skin tone.
func isEmojiPart(r rune) bool { return isPictograph(r) || r >= 0x1f3fb && r <= 0x1f3ff }

// isPictograph reports whether r is in one of the blocks that hold the
// pictographs of UTS #51, without skin tones and the letters of flags. It takes
// whole blocks, so that a new emoji of Unicode needs no change here.
func isPictograph(r rune) bool {
	switch {
	case r < 0x2000:
		return r == '©' || r == '®'
	case r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 || r == 0x24c2, // ‼ ⁉ ™ ℹ Ⓜ
		r >= 0x2190 && r <= 0x21ff,                               // Arrows
		r >= 0x2300 && r <= 0x23ff,                               // Miscellaneous Technical
		r >= 0x25a0 && r <= 0x27bf,                               // Geometric Shapes, Miscellaneous Symbols, Dingbats
		r == 0x2934 || r == 0x2935,                               // ⤴ ⤵
		r >= 0x2b00 && r <= 0x2bff,                               // Miscellaneous Symbols and Arrows
		r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299: // 〰 〽 ㊗ ㊙
		return true
	case r >= 0x1f1e6 && r <= 0x1f1ff, r >= 0x1f3fb && r <= 0x1f3ff:
		return false
	default:
		return r >= 0x1f000 && r <= 0x1faff || r >= 0x1fc00 && r <= 0x1fffd
	}
}
