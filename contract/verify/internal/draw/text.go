package draw

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

// longest is how long a drawn string is at most, in characters, unless its
// schema demands more.
const longest = 1 << 12

// Canary is often the value of a secret or sensitive text. It occurs nowhere
// else, so that a test can search for it.
const Canary = "canary-7f3a91c2e6"

// text draws a string.
func (d *drawer) text(s *spec) string {
	patterns := make([]*regexp.Regexp, 0, len(s.patterns))
	for _, p := range s.patterns {
		if re, err := jsonschema.Regexp(p); err == nil {
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

// anyText draws a string of the first format or pattern.
func (d *drawer) anyText(s *spec) string {
	for _, format := range s.formats {
		if drawn, ok := d.formatted(format, s); ok {
			return drawn
		}
	}
	if len(s.patterns) > 0 {
		if drawn, ok := d.patterned(s); ok {
			return drawn
		}
	}
	if s.secret && s.fits(Canary) && !d.coin() {
		return Canary
	}
	least := s.minLength
	most := min(s.maxLength, least+16)
	if d.index(8) == 7 && s.maxLength <= longest { // as long as it may be
		least, most = s.maxLength, s.maxLength
	}
	if d.plain {
		return rapid.StringOfN(rapid.RuneFrom([]rune("aZ 09.-_/é")), least, max(least, most), -1).Draw(d.t, "")
	}
	return rapid.StringN(least, max(least, most), -1).Draw(d.t, "")
}

// patterned draws a string of one pattern, or of all of them one after another.
func (d *drawer) patterned(s *spec) (drawn string, ok bool) {
	if i := d.index(len(s.patterns) + 1); len(s.patterns) == 1 || i < len(s.patterns) {
		return d.matching(sized(s.patterns[min(i, len(s.patterns)-1)], s.minLength, s.maxLength))
	}
	for _, pattern := range s.patterns {
		next, ok := d.matching(pattern)
		if !ok {
			return "", false
		}
		drawn += next
	}
	return drawn, true
}

// matching draws a string of a pattern. It is not ok if the generator finds
// none.
func (d *drawer) matching(pattern string) (drawn string, ok bool) {
	defer func() {
		if recover() != nil { // the generator gives up by a panic
			drawn, ok = "", false
		}
	}()
	return rapid.StringMatching(pattern).Draw(d.t, ""), true
}

// sized returns a pattern of the same strings, but of a length that is allowed,
// if the pattern is one repeated character. Others stay.
func sized(pattern string, least, most int) string {
	const longestRepeat = 1000 // of package regexp
	if least == 0 && most == unlimited || least > longestRepeat {
		return pattern
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || parsed.Op != syntax.OpConcat || len(parsed.Sub) != 3 {
		return pattern
	}
	begin, middle, end := parsed.Sub[0], parsed.Sub[1], parsed.Sub[2]
	if begin.Op != syntax.OpBeginText || end.Op != syntax.OpEndText {
		return pattern
	}
	from, to := 0, unlimited
	switch middle.Op {
	case syntax.OpStar:
	case syntax.OpPlus:
		from = 1
	case syntax.OpRepeat:
		from = middle.Min
		if middle.Max >= 0 {
			to = middle.Max
		}
	default:
		return pattern
	}
	switch middle.Sub[0].Op {
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
	default:
		return pattern
	}
	from = max(from, least)
	to = min(to, most, max(from, min(from+16, longestRepeat)))
	if from > to {
		return pattern
	}
	repeat := &syntax.Regexp{Op: syntax.OpRepeat, Flags: middle.Flags, Sub: middle.Sub, Min: from, Max: to}
	return (&syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{begin, repeat, end}}).String()
}
