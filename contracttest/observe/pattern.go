package observe

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// ofPattern draws a string that matches a pattern and, if possible, has at
// least the demanded length. ok is false if nothing matches the pattern.
func (d *drawer) ofPattern(pattern string, least int) (drawn string, ok bool) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	if d.coin() {
		least = 0 // a pattern with several repetitions is long enough anyway
	}
	m := match{least: least}
	ok = m.add(d.from, parsed)
	return m.String(), ok
}

// A match is a string being drawn from a pattern.
type match struct {
	strings.Builder

	least int // how often a repetition repeats, if it can
}

// extraRepeats is how many repetitions beyond the needed ones may be drawn.
const extraRepeats = 8

func (m *match) add(from Source, re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpNoMatch:
		return false
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 && from.Uint(1) == 1 {
				r = unicode.SimpleFold(r)
			}
			m.WriteRune(r)
		}
	case syntax.OpCharClass:
		return m.addClass(from, re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return m.addClass(from, []rune{' ', '~'})
	case syntax.OpAlternate:
		return m.add(from, re.Sub[from.Uint(uint64(len(re.Sub)-1))])
	case syntax.OpStar:
		return m.repeat(from, re.Sub[0], 0, -1)
	case syntax.OpPlus:
		return m.repeat(from, re.Sub[0], 1, -1)
	case syntax.OpQuest:
		return m.repeat(from, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		return m.repeat(from, re.Sub[0], re.Min, re.Max)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			if !m.add(from, sub) {
				return false
			}
		}
	default: // it has no characters
	}
	return true
}

// addClass draws a character from some ranges, usually a printable ASCII one.
func (m *match) addClass(from Source, ranges []rune) bool {
	if len(ranges) == 0 {
		return false
	}
	i := 2 * from.Uint(uint64(len(ranges)/2-1))
	low, high := ranges[i], ranges[i+1]
	if low <= '~' && high >= ' ' && from.Uint(7) < 7 {
		low, high = max(low, ' '), min(high, '~')
	}
	m.WriteRune(low + rune(from.Uint(uint64(high-low)))) //nolint:gosec // a range of characters
	return true
}

// repeat adds a part as often as it may be repeated. A negative most means no
// limit.
func (m *match) repeat(from Source, part *syntax.Regexp, least, most int) bool {
	if most < 0 {
		most = max(least, m.least) + extraRepeats
	}
	least = max(least, min(most, m.least))
	ok := true
	from.List(least, min(most, least+extraRepeats), func(from Source) { ok = m.add(from, part) && ok })
	return ok
}
