package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/contract/guard/audit"
	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/contract/verify/internal/state"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A protectedValue is the value of a sensitive or secret field.
type protectedValue struct {
	path   []any // names and indices
	value  any
	secret bool
}

// pointer returns the JSON Pointer of the value.
func (p protectedValue) pointer() string {
	at := ""
	for _, step := range p.path {
		at = strictjson.Pointer(at, fmt.Sprint(step))
	}
	return at
}

// protected returns the values of the protected fields in arguments.
func (v *verifier) protected(arguments json.RawMessage) []protectedValue {
	return protectedIn(v.doc.InputSchema, arguments)
}

// protectedIn returns the values in a document at which its schema has one of
// the annotations for protected fields.
func protectedIn(rawSchema, raw json.RawMessage) []protectedValue {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil
	}
	document, err := jsonschema.Read(rawSchema)
	if err != nil {
		return nil
	}
	var s protectionSearch
	s.value(document.Root, tree, nil, false, false)
	return s.found
}

type protectionSearch struct{ found []protectedValue }

// value searches a value under a schema. Everything within a protected value is
// protected.
func (s *protectionSearch) value(n *jsonschema.Node, value any, path []any, sensitive, secret bool) {
	if n != nil {
		sensitive = sensitive || n.Value(schema.SensitiveKeyword) == true
		secret = secret || n.Value(schema.SecretKeyword) == true
		for e := range n.Edges() {
			if jsonschema.AppliesInPlace(e.Keyword) && e.Keyword != "not" {
				before := len(s.found)
				s.value(e.To, value, path, sensitive, secret)
				if len(s.found) > before {
					return
				}
			}
		}
	}
	below := func(step any, item any, to *jsonschema.Node) {
		s.value(to, item, append(slices.Clip(path), step), sensitive, secret)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			below(name, value[name], cmp.Or(edge(n, "properties", name), edge(n, "additionalProperties", "")))
		}
	case []any:
		for i, item := range value {
			below(i, item, cmp.Or(edge(n, "prefixItems", strconv.Itoa(i)), edge(n, "items", "")))
		}
	default:
		if sensitive || secret {
			s.found = append(s.found, protectedValue{path, value, secret})
		}
	}
}

// edge returns the schema that a keyword of a schema applies to a member or an
// item, or nil. The schema may be nil.
func edge(n *jsonschema.Node, keyword, name string) *jsonschema.Node {
	if n == nil {
		return nil
	}
	return n.Child(keyword, name)
}

// minCanary is the length from which a value is found only where it leaks.
const minCanary = 6

// A searched value is a protected value that can be searched for.
type searchedValue struct {
	protectedValue
	text string
}

// searched returns the protected values of a case that are long enough, and
// that no other argument has.
func (v *verifier) searched(arguments json.RawMessage) []searchedValue {
	var all []searchedValue
	for _, p := range v.protected(arguments) {
		text := fmt.Sprint(p.value)
		if len(text) < minCanary || strings.Count(string(arguments), text) > 1 {
			continue
		}
		all = append(all, searchedValue{p, text})
	}
	return all
}

// leaks searches the places that a call writes to for protected values.
func (tr *trial) leaks(c *tried, events []audit.Event) []string {
	values := tr.searched(c.arguments)
	c.searchable = len(values)
	places := []struct{ name, text string }{
		{"the audit log", encodedJSON(events)}, {"the log of the guard", tr.log.text()}, {"the store", tr.store.String()},
	}
	for _, l := range tr.config.logs {
		places = append(places, struct{ name, text string }{"the log of the handler", l.text()})
	}
	var found []string
	kept := tr.snapshot()
	for _, value := range values {
		for _, path := range slices.Sorted(maps.Keys(kept)) {
			d := state.Difference{Path: path}
			if value.secret && strings.Contains(kept[path], value.text) &&
				!tr.isAllowed(func(a allowance) bool { return a.coversState(d) }, "state "+path) {
				found = append(found, fmt.Sprintf("the state has the value of %s at %s", value.pointer(), path))
			}
		}
		for _, place := range places {
			if strings.Contains(place.text, value.text) {
				found = append(found, fmt.Sprintf("%s has the value of %s", place.name, value.pointer()))
			}
		}
		for _, o := range []observed{c.preview, c.first, c.second} {
			if where := o.leak(tr.doc.OutputSchema, value); where != "" {
				found = append(found, fmt.Sprintf("%s has the value of %s", where, value.pointer()))
				break
			}
		}
	}
	return found
}

// leak names the place in the result of a call that has a protected value, or
// returns "". A sensitive value may be in a result, in a field that is tagged
// sensitive too.
func (o observed) leak(outputSchema json.RawMessage, value searchedValue) string {
	if o.result == nil {
		return ""
	}
	r := o.result
	if r.IsError {
		if strings.Contains(encodedJSON([]any{r.Text, r.Content, r.Outcome, r.Meta}), value.text) {
			return "the text of the error " + r.Outcome.Code
		}
		return ""
	}
	if !value.secret && r.Structured != nil {
		all := strings.Count(string(r.Structured), value.text)
		for _, p := range protectedIn(outputSchema, r.Structured) {
			if strings.Contains(fmt.Sprint(p.value), value.text) {
				all--
			}
		}
		if all <= 0 {
			return ""
		}
		return "a field of the result that is not sensitive"
	}
	if strings.Contains(encodedJSON([]any{r.Text, r.Content, r.Structured, r.Meta}), value.text) {
		return "the result"
	}
	return ""
}

// A storeSpy passes operations on and records what the guard stores.
type storeSpy struct {
	store.Store

	mu   sync.Mutex
	text strings.Builder
}

func (s *storeSpy) record(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := state.Of(v)
	for _, path := range slices.Sorted(maps.Keys(parts)) {
		s.text.WriteString(parts[path] + "\n")
	}
}

// String returns what was stored so far.
func (s *storeSpy) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// Claim records the claim.
func (s *storeSpy) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	s.record(c)
	return s.Store.Claim(ctx, c)
}

// Complete records the result as it is stored.
func (s *storeSpy) Complete(ctx context.Context, c store.Completion) error {
	s.record(c)
	s.mu.Lock()
	s.text.Write(c.Result)
	s.mu.Unlock()
	return s.Store.Complete(ctx, c)
}

// Spend records the nonce.
func (s *storeSpy) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	s.record(n)
	return s.Store.Spend(ctx, n, by)
}
