package fieldtag

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Shown returns the members of tree, sorted by name, as the person who confirms
// may see them. Each is JSON on one line, so that no value can imitate another
// line. A secret is replaced by its length.
func (f *Fields) Shown(tree any) []bound.Shown {
	members, _ := tree.(map[string]any)
	shown := make([]bound.Shown, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		line := bound.Shown{Name: name}
		if member := f.member(name); member != nil {
			line.Review = member.words.Has(Review) || member.value.has(Review, map[*Fields]bool{})
		}
		text, err := strictjson.Marshal(f.maskedMember(name, members[name]))
		if err != nil {
			text = []byte(`"(cannot be shown)"`)
		}
		line.Text = string(text)
		shown = append(shown, line)
	}
	return shown
}

// HasSecret reports whether a field at any depth is tagged secret.
func (f *Fields) HasSecret() bool { return f.has(Secret, map[*Fields]bool{}) }

// HasSecretIn reports whether one of these members is tagged secret, or a field
// inside it.
func (f *Fields) HasSecretIn(members []string) bool {
	return slices.ContainsFunc(members, func(name string) bool {
		member := f.member(name)
		return member != nil && (member.words.Has(Secret) || member.value.has(Secret, map[*Fields]bool{})) ||
			f.below().has(Secret, map[*Fields]bool{})
	})
}

// has reports whether a field at any depth has one of the words.
func (f *Fields) has(words Words, seen map[*Fields]bool) bool {
	if f == nil || seen[f] {
		return false
	}
	seen[f] = true
	for _, member := range f.members {
		if member.words.Has(words) || member.value.has(words, seen) {
			return true
		}
	}
	return f.elem.has(words, seen)
}

// masked returns tree with its secrets replaced.
func (f *Fields) masked(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		masked := make(map[string]any, len(v))
		for name, value := range v {
			masked[name] = f.maskedMember(name, value)
		}
		return masked
	case []any:
		masked := make([]any, len(v))
		for i, item := range v {
			masked[i] = f.below().masked(item)
		}
		return masked
	}
	return tree
}

func (f *Fields) maskedMember(name string, value any) any {
	switch member := f.member(name); {
	case member == nil:
		return f.below().masked(value)
	case member.words.Has(Secret):
		return secretMask(value)
	default:
		return member.value.masked(value)
	}
}

func secretMask(value any) string {
	if text, ok := value.(string); ok {
		return fmt.Sprintf("(secret, %d characters)", utf8.RuneCountInString(text))
	}
	return "(secret)"
}
