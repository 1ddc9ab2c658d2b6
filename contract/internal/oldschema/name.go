package oldschema

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// maxTried bounds how many patterns of one object are tried two by two.
const maxTried = 8

// otherNames makes up names of members that an object schema does not declare: one that no pattern is likely to match,
// one for each pattern, and for each two patterns one that both may match.
func otherNames(declared, patterns []string) []string {
	other := "other"
	for slices.Contains(declared, other) {
		other += "_"
	}
	names := []string{other}
	var matching []string
	for _, pattern := range patterns {
		if re, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			matching = append(matching, matchOf(re.Simplify()))
		}
	}
	names = append(names, matching...)
	if len(matching) <= maxTried {
		for _, first := range matching {
			for _, second := range matching {
				names = append(names, first+second)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(declared, name) })
}

// matchOf makes up a text that a regular expression is likely to match.
func matchOf(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		return string(oneOf(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return matchOf(re.Sub[0])
	case syntax.OpConcat:
		var b strings.Builder
		for _, part := range re.Sub {
			b.WriteString(matchOf(part))
		}
		return b.String()
	default: // what matches the empty text, or nothing
		return ""
	}
}

// oneOf chooses from the ranges of a class a letter, if there is one.
func oneOf(ranges []rune) rune {
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := max(ranges[i], 'A'); r <= min(ranges[i+1], 'z'); r++ {
			if unicode.IsLetter(r) {
				return r
			}
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}
