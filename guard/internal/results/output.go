package results

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Output turns what a handler returned without an error into a result.
func Output(t *facts.ProtectedTool, returned any) (*exchange.Result, error) {
	out, extra, meta := t.Impl.Parts(returned)
	items, _ := extra.([]contract.Content)
	raw, tree, err := t.Impl.Encode(out)
	if err != nil {
		return nil, TooMany(t, "result", len(raw), err)
	}
	r := &exchange.Result{Outcome: contract.Outcome{Status: contract.StatusOK}}
	clean := sanitizerOf(t)
	switch t.Impl.Facts().Output {
	case bound.Empty:
		if len(items) == 0 {
			r.Text = "ok"
		}
	case bound.Text:
		r.Text = delimit(t, clean.text(contentAt(0), tree.(string))) //nolint:forcetypeassert // Encode returns a string for Text
	case bound.Structured:
		r.Structured = raw
		if _, checked := tree.(bound.Checked); !checked {
			if r.Structured, err = clean.Structured(t.Impl.Facts().OutputSchema, raw, tree); err != nil {
				return nil, err
			}
		}
		if !hasText(items) {
			r.Text = DelimitStructured(t, []byte(clean.structuredText(r.Structured)))
		}
	case bound.Untyped:
		if items, err = untyped(t, r, &clean, raw, tree, items); err != nil {
			return nil, err
		}
	}
	if len(items) > 0 {
		if r.Content, err = clean.items(min(len(r.Text), 1), items, delimiter(t, r.Structured)); err != nil {
			return nil, err
		}
	}
	if r.Meta, err = clean.meta(place{name: "_meta"}, meta); err != nil {
		return nil, err
	}
	if err := CheckSize(t, "result", r, &clean); err != nil {
		return nil, err
	}
	r.Outcome.Sanitized, r.Outcome.Removed = clean.Removed, clean.Removals
	return r, nil
}

// untyped adds a result without a schema to r: an object as structured content,
// any other value as a text, because not all clients accept other values as
// structured content. It returns the items with that text.
func untyped(
	t *facts.ProtectedTool, r *exchange.Result, clean *Sanitizer, raw []byte, tree any, items []contract.Content,
) ([]contract.Content, error) {
	if raw == nil {
		if len(items) == 0 {
			r.Text = "ok"
		}
		return items, nil
	}
	raw, err := clean.Structured(nil, raw, tree)
	if err != nil {
		return nil, err
	}
	if _, ok := tree.(map[string]any); ok {
		r.Structured = raw
	}
	switch {
	case !hasText(items):
		r.Text = delimit(t, clean.structuredText(raw))
	case r.Structured == nil && !hasTextOf(items, raw):
		items = append(slices.Clip(items), contract.TextContent{Text: clean.structuredText(raw)})
	}
	return items, nil
}

// hasTextOf reports whether a text of the items is JSON of the same value.
func hasTextOf(items []contract.Content, raw []byte) bool {
	isSame := equalJSON(raw)
	return slices.ContainsFunc(items, func(item contract.Content) bool {
		text, ok := item.(contract.TextContent)
		return ok && isSame(text.Text)
	})
}

// equalJSON returns a function that reports whether a text is JSON of the same
// value.
func equalJSON(raw []byte) func(string) bool {
	wanted, err := canonical(raw)
	return func(text string) bool {
		if text = strings.TrimSpace(text); err != nil || text == "" || text[0] != wanted[0] {
			return false
		}
		same, err := canonical([]byte(text))
		return err == nil && bytes.Equal(same, wanted)
	}
}

// canonical returns the same bytes for all JSON of one value, whatever its
// white space, escapes and order of members.
func canonical(raw []byte) ([]byte, error) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(raw))})
	if err != nil {
		return nil, err
	}
	return strictjson.Marshal(tree)
}
