package results

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/trust"
)

var (
	errKeyCollision = errors.New("two member names of the result are the same once sanitised")
	errContent      = errors.New("an item of the content is nil, or a pointer to a content type")
	errPriority     = errors.New("the priority of an item is not between 0 and 1")
)

// A Sanitizer cleans the parts of one result. The zero Sanitizer is ready to
// use, and cleans all of them.
type Sanitizer struct {
	// Removed counts the characters that were removed.
	Removed int
	// Removals lists the first places where characters were removed.
	Removals []contract.Removal

	mode  trust.Sanitizing
	bytes int // about how many bytes the items and the _meta take on the wire
}

// sanitizerOf returns the Sanitizer of a result of the tool.
func sanitizerOf(t *facts.ProtectedTool) Sanitizer {
	return Sanitizer{mode: t.Doc.Sanitize.Effective()}
}

// maxRemovals caps the removals listed in an outcome.
const maxRemovals = 20

// text cleans a text that people or models read.
func (s *Sanitizer) text(at place, text string) string {
	if s.mode == trust.SanitizeNever {
		return text
	}
	return s.clean(at, text)
}

// structuredText cleans the text form of structured content that itself stays
// exact.
func (s *Sanitizer) structuredText(raw []byte) string {
	if s.mode != trust.SanitizeText {
		return string(raw) // it is clean, or stays exact too
	}
	return s.clean(contentAt(0), string(raw))
}

// clean cleans a text in any mode.
func (s *Sanitizer) clean(at place, text string) string {
	clean, removed := trust.Sanitize(text)
	if removed > 0 {
		s.Removed += removed
		s.Removals = addRemovals(s.Removals, contract.Removal{Pointer: at.pointer(), Kinds: removedKinds(text, clean), Count: removed})
	}
	return clean
}

func addRemovals(to []contract.Removal, more ...contract.Removal) []contract.Removal {
	return append(to, more[:min(len(more), max(0, maxRemovals-len(to)))]...)
}

// Structured sanitizes structured content, unless it stays exact, and checks it
// against its schema, unless that is nil.
func (s *Sanitizer) Structured(fits *schema.Schema, raw []byte, tree any) ([]byte, error) {
	if s.mode <= trust.SanitizeAlways {
		var err error
		before := s.Removed
		if tree, err = s.tree(place{name: "structuredContent"}, tree); err != nil {
			return raw, err
		}
		if s.Removed > before {
			if raw, err = strictjson.Marshal(tree); err != nil {
				return raw, err
			}
		}
	}
	if fits == nil {
		return raw, nil
	}
	if violations := fits.Validate(tree); len(violations) > 0 {
		v := violations[0]
		return nil, fmt.Errorf("%d violations of the output schema, first %s at %q: %s", len(violations), v.Rule, v.Pointer, v.Message)
	}
	return raw, nil
}

// tree cleans every string and member name of plain JSON. Two names that become
// the same are an error, because one of them would be lost.
func (s *Sanitizer) tree(at place, tree any) (any, error) {
	switch v := tree.(type) {
	case string:
		return s.clean(at, v), nil
	case []any:
		clean := make([]any, len(v))
		for i, e := range v {
			var err error
			if clean[i], err = s.tree(place{above: &at, index: i, isIndex: true}, e); err != nil {
				return nil, err
			}
		}
		return clean, nil
	case map[string]any:
		clean := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			key := s.clean(at, name)
			if _, taken := clean[key]; taken {
				return nil, errKeyCollision
			}
			var err error
			if clean[key], err = s.tree(place{above: &at, name: key}, v[name]); err != nil {
				return nil, err
			}
		}
		return clean, nil
	}
	return tree, nil
}

// meta writes a tool author's _meta as JSON, reads that JSON and cleans it,
// because callers get the JSON form.
func (s *Sanitizer) meta(at place, m map[string]any) (map[string]any, error) {
	if len(m) == 0 {
		return nil, nil
	}
	raw, err := jsonOf(m)
	if err != nil {
		return nil, err
	}
	s.bytes += len(raw)
	tree, err := strictjson.Parse(raw, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(raw))})
	if err != nil {
		return nil, err
	}
	if tree, err = s.tree(at, tree); err != nil {
		return nil, err
	}
	return tree.(map[string]any), nil //nolint:forcetypeassert // a map is written as an object
}

// jsonOf recovers from panics of the tool author's marshalers.
func jsonOf(v any) (raw []byte, err error) {
	defer contain.Recover(&err)
	return strictjson.MarshalValue(v)
}

// items cleans the texts of items and counts their bytes. Images and sounds
// pass unchanged. The index of the first item in the result is first; mark
// changes each item once it is clean.
func (s *Sanitizer) items(first int, items []contract.Content, mark func(*item)) ([]contract.Content, error) {
	clean := make([]contract.Content, len(items))
	for i, item := range items {
		var err error
		if clean[i], err = s.item(contentAt(first+i), item, mark); err != nil {
			return nil, err
		}
	}
	return clean, nil
}

func (s *Sanitizer) item(at place, c contract.Content, mark func(*item)) (contract.Content, error) {
	opened, ok := openItem(c)
	if !ok {
		return nil, errContent
	}
	for _, text := range opened.texts() {
		*text = s.text(at, *text)
	}
	var err error
	if opened.Meta, err = s.annotations(at, &opened.Annotations, opened.Meta); err != nil {
		return nil, err
	}
	if opened.ResourceMeta, err = s.meta(place{above: &at, name: "resource"}, opened.ResourceMeta); err != nil {
		return nil, err
	}
	mark(&opened)
	s.bytes += opened.wireBytes()
	return opened.content(), nil
}

// annotations cleans the annotations and the _meta of an item. A priority
// outside 0 to 1 is an error, because JSON or the protocol cannot express it.
func (s *Sanitizer) annotations(at place, a *contract.Annotations, meta map[string]any) (map[string]any, error) {
	if a.Priority != nil && !(*a.Priority >= 0 && *a.Priority <= 1) {
		return nil, errPriority
	}
	audience := slices.Clone(a.Audience)
	for i, role := range audience {
		audience[i] = s.clean(at, role)
	}
	a.Audience = audience
	return s.meta(place{above: &at, name: "_meta"}, meta)
}

// hasText reports whether a handler returned a text of its own.
func hasText(items []contract.Content) bool { return slices.ContainsFunc(items, isText) }

func isText(item contract.Content) bool {
	_, ok := item.(contract.TextContent)
	return ok
}
