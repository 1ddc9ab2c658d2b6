package observe

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// maxTextLength is the maximum length of a drawn string, in characters, unless
// its schema demands more.
const maxTextLength = 1 << 12

// canary is often the value of a secret or sensitive string. It appears nowhere
// else, so that a test can search for it.
const canary = "canary-7f3a91c2e6"

// plainCharacters are what people type; oddCharacters add those that programs
// tend to read or write wrongly.
var (
	plainCharacters = []rune("aZ 09.-_/é")
	oddCharacters   = []rune("a0 \"'\\<&%{$" +
		"\n\r\t\x00\x1b\x7f\u0085éßİ\u0301漢ص\u200b\u202e\u2028\ufeff\ufffd\uffff😀\U0010ffff")
)

// text draws a string.
func (d *drawer) text(s *spec) string {
	patterns := make([]*regexp.Regexp, 0, len(s.patterns))
	for _, p := range s.patterns {
		if re, err := tree.Regexp(p); err == nil {
			patterns = append(patterns, re)
		}
	}
	var drawn string
	for range tries {
		drawn = d.anyText(s)
		if s.fits(drawn) && !slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return !re.MatchString(drawn) }) {
			break
		}
	}
	return drawn
}

// fits reports whether a string has a length that s allows.
func (s *spec) fits(text string) bool {
	length := utf8.RuneCountInString(text)
	return s.minLength <= length && length <= s.maxLength
}

// anyText draws a string that fits the first format or pattern.
func (d *drawer) anyText(s *spec) string {
	for _, format := range s.formats {
		if drawn, ok := d.ofFormat(format, s); ok {
			return drawn
		}
	}
	if len(s.patterns) > 0 {
		if drawn, ok := d.ofPatterns(s); ok {
			return drawn
		}
	}
	if s.secret && s.fits(canary) && !d.coin() {
		return canary
	}
	least := s.minLength
	most := min(s.maxLength, least+16)
	if d.index(8) == 7 && s.maxLength <= maxTextLength { // as long as it may be
		least, most = s.maxLength, s.maxLength
	}
	characters := oddCharacters
	if d.plain {
		characters = plainCharacters
	}
	var drawn strings.Builder
	d.from.List(least, max(least, most), func(from Source) {
		drawn.WriteRune(characters[from.Uint(uint64(len(characters)-1))])
	})
	return drawn.String()
}

// ofPatterns draws a string from one pattern, or from all of them one after
// another.
func (d *drawer) ofPatterns(s *spec) (drawn string, ok bool) {
	if i := d.index(len(s.patterns) + 1); len(s.patterns) == 1 || i < len(s.patterns) {
		return d.ofPattern(s.patterns[min(i, len(s.patterns)-1)], s.minLength)
	}
	for _, pattern := range s.patterns {
		next, ok := d.ofPattern(pattern, 0)
		if !ok {
			return "", false
		}
		drawn += next
	}
	return drawn, true
}
