package contract

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// shown returns the arguments as the person who confirms may see them, sorted by
// name: each as JSON in one line, which no value can break out of. Of a secret
// there is only its length.
func (s *shape) shown(tree any) []bound.Shown {
	members, _ := tree.(map[string]any)
	shown := make([]bound.Shown, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		line := bound.Shown{Name: name}
		value := members[name]
		if field := s.member(name); field != nil {
			line.Review = field.flags&flagReview != 0 || field.shape.reviews(map[*shape]bool{})
			value = field.masked(value)
		} else {
			value = s.elemOrEmpty().masked(value)
		}
		text, err := strictjson.Marshal(value)
		if err != nil {
			text = []byte(`"(cannot be shown)"`)
		}
		line.Text = string(text)
		shown = append(shown, line)
	}
	return shown
}

func (s *shape) member(name string) *taggedField {
	if s == nil {
		return nil
	}
	return s.members[name]
}

// reviews reports whether a field below is tagged review.
func (s *shape) reviews(seen map[*shape]bool) bool {
	if s == nil || seen[s] {
		return false
	}
	seen[s] = true
	for _, field := range s.members {
		if field.flags&flagReview != 0 || field.shape.reviews(seen) {
			return true
		}
	}
	return s.elem.reviews(seen)
}

func (f *taggedField) masked(value any) any {
	if f.flags&flagSecret != 0 {
		return secretMask(value)
	}
	return f.shape.masked(value)
}

// masked returns tree with its secrets replaced.
func (s *shape) masked(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		masked := make(map[string]any, len(v))
		for name, value := range v {
			if field := s.member(name); field != nil {
				masked[name] = field.masked(value)
			} else {
				masked[name] = s.elemOrEmpty().masked(value)
			}
		}
		return masked
	case []any:
		masked := make([]any, len(v))
		for i, value := range v {
			masked[i] = s.elemOrEmpty().masked(value)
		}
		return masked
	}
	return tree
}

func secretMask(value any) string {
	if text, ok := value.(string); ok {
		return fmt.Sprintf("(secret, %d characters)", utf8.RuneCountInString(text))
	}
	return "(secret)"
}
