package results

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A place is a part of a result. Its pointer is built only if something was
// removed there.
type place struct {
	above   *place // nil: the result
	name    string
	index   int
	isIndex bool
}

var contentItems = place{name: "content"}

// contentAt returns the place of an item of the content.
func contentAt(index int) place { return place{above: &contentItems, index: index, isIndex: true} }

// pointer returns the JSON Pointer of the place in the result.
func (p place) pointer() string { return strictjson.PrintablePointer(p.raw()) }

func (p place) raw() string {
	above := ""
	if p.above != nil {
		above = p.above.raw()
	}
	if p.isIndex {
		return strictjson.PointerIndex(above, p.index)
	}
	return strictjson.Pointer(above, p.name)
}

// errorRemovals returns the removals from an error's text.
func errorRemovals(text, clean string, removed int) []contract.Removal {
	if removed == 0 {
		return nil
	}
	return []contract.Removal{{Pointer: contentAt(0).pointer(), Kinds: removedKinds(text, clean), Count: removed}}
}

// removedKinds returns the kinds of the characters that were removed from a
// text, sorted; see [contract.Removal].
func removedKinds(text, clean string) []string {
	counts := map[string]int{}
	for i, r := range text {
		if r == utf8.RuneError && text[i] != "\uFFFD"[0] {
			r = 0 // a byte that is no UTF-8
		}
		counts[kindOfRune(r)]++
	}
	for _, r := range clean {
		counts[kindOfRune(r)]--
	}
	delete(counts, "")
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n <= 0 })
	return slices.Sorted(maps.Keys(counts))
}

// kindOfRune returns an empty kind for a character that is visible.
func kindOfRune(r rune) string {
	switch {
	case r == '\n' || r == '\t':
		return ""
	case unicode.IsControl(r):
		return "control"
	case r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return "direction"
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return "invisible"
	}
	return ""
}

// Logged returns removals for the audit log, which must not have the names of
// members that are data: a name below the first that the output schema does not
// declare becomes "*".
func Logged(t *facts.ProtectedTool, removals []contract.Removal) []string {
	if len(removals) == 0 {
		return nil
	}
	declared := map[string]bool{}
	if s := t.Impl.Facts().OutputSchema; s != nil {
		for _, n := range s.Document().All {
			if n.Step().Keyword == "properties" {
				declared[n.Step().Name] = true
			}
		}
	}
	lines := make([]string, len(removals))
	for i, r := range removals {
		tokens, _ := strictjson.SplitPointer(r.Pointer)
		for k := 1; k < len(tokens); k++ {
			isKnown := tokens[0] == "structuredContent" && declared[tokens[k]] || tokens[0] == "content" && k == 1
			if !isKnown {
				tokens[k] = "*"
			}
		}
		lines[i] = strictjson.Pointer("", tokens...) + ": " + strings.Join(r.Kinds, ", ")
	}
	return lines
}
