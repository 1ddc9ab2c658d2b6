package fieldtag

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Hidden returns the text of every value in tree whose tag has one of the
// words, without duplicates, longest first.
func (f *Fields) Hidden(tree any, words Words) []string {
	var values []string
	f.visit(tree, words, false, func(text string) { values = append(values, text) })
	slices.SortFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return slices.Compact(values)
}

// visit calls found with the text of each hidden value. Everything within a
// hidden value is hidden.
func (f *Fields) visit(tree any, words Words, hide bool, found func(string)) {
	switch v := tree.(type) {
	case map[string]any:
		for name, value := range v {
			if member := f.member(name); member != nil {
				member.value.visit(value, words, hide || member.words.Has(words), found)
				continue
			}
			if hide && name != "" {
				found(name) // the key of a map comes from the caller too
			}
			f.below().visit(value, words, hide, found)
		}
	case []any:
		for _, item := range v {
			f.below().visit(item, words, hide, found)
		}
	default:
		if text := textOf(v); hide && text != "" {
			found(text)
		}
	}
}

func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// Exposed returns tree without struct members that are not exposed, at any
// depth: the fields of a nested struct need their own tags.
func (f *Fields) Exposed(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		exposed := make(map[string]any, len(v))
		for name, value := range v {
			if !f.IsStruct() {
				exposed[name] = f.below().Exposed(value)
			} else if member := f.member(name); member != nil && member.words.Has(Expose) {
				exposed[name] = member.value.Exposed(value)
			}
		}
		return exposed
	case []any:
		exposed := make([]any, len(v))
		for i, item := range v {
			exposed[i] = f.below().Exposed(item)
		}
		return exposed
	}
	return tree
}
