package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

const declaredUncheckedPatterns declaration[bool] = "uncheckedPatterns"

const ruleUncheckedRisk = "uncheckedPatterns.risk"

func uncheckedPatternsClause() clause {
	return clause{
		base:  func(b *Base, l *layer) { fromBase(l, declaredUncheckedPatterns, b.UncheckedPatterns) },
		rules: []BuildRule{{ID: ruleUncheckedRisk, Summary: "A tool from high risk up checks every pattern of its schemas."}},
	}
}

// UncheckedPatterns accepts patterns that RE2 cannot check, such as those with
// look-ahead or back-references, in the schemas of InputSchema and
// OutputSchema. They are then not checked: the published schema lists them as
// "x-uncheckedPattern", and contracttest reports them. Without this verb Build
// refuses them.
//
// Build still refuses such a pattern as a name in patternProperties, and below
// not, if, oneOf, contains and unevaluated keywords. An unchecked pattern there
// would change which other values are accepted. It refuses an unchecked pattern
// in a tool from high risk up.
func (b *Builder[In, Out]) UncheckedPatterns() *Builder[In, Out] {
	declaredUncheckedPatterns.set(&b.verbs, true)
	return b
}

// modern returns the published form of a schema that the tool author wrote: in
// draft 2020-12, and without patterns that are not checked. It returns nil if
// the tool author wrote none.
func (c *checker) modern(clause string, t reflect.Type, raw json.RawMessage) *tree.Text {
	if raw == nil {
		return nil
	}
	newest, converted, problems := schema.Modern(tree.NewText(raw), c.compileOptions(t, schema.Input).Lenient)
	c.converted = c.converted || converted
	c.problems(clause, problems)
	if !declaredUncheckedPatterns.of(&c.layer) {
		return newest
	}
	unchecked, patterns := schema.Uncheck(newest)
	c.unchecked = c.unchecked || patterns > 0
	if patterns > 0 && c.doc.Risk.AtLeast(risk.High) {
		c.bad(ruleUncheckedRisk, clause, "a pattern of a tool from high risk up is not checked",
			"write the pattern in RE2, or check it in the handler and remove it from the schema")
	}
	return unchecked
}

// uncheckable extends the remedy of a pattern that is not RE2.
func uncheckable(p schema.Problem) schema.Problem {
	if p.Rule == schema.RulePattern {
		p.Remedy += "; below high risk, UncheckedPatterns accepts it unchecked where that cannot refuse other values"
	}
	return p
}

const ruleSchemaProtection = "schema.protection"

// protected reports members that a written schema publishes as sensitive,
// secret or review, although t has no fields whose tags could protect them.
// Readers of the contract would rely on a protection that nothing enforces.
func (c *checker) protected(clause string, t reflect.Type, written *tree.Document) {
	element := t
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Map, reflect.Slice, reflect.Array}, element.Kind()) {
		element = element.Elem()
	}
	if element.Kind() == reflect.Struct {
		return
	}
	for _, n := range written.All {
		for _, keyword := range schema.ProtectionKeywords() {
			if n.Is(keyword) && !c.protector.published[n.Pointer()] {
				c.bad(ruleSchemaProtection, clause+" "+strictjson.PrintablePointer(strictjson.Pointer(n.Pointer(), keyword)),
					"the schema publishes a protection that nothing enforces, because the type "+t.String()+" has no fields with tags",
					"remove the keyword, or write a handler whose input is a struct with contract tags")
			}
		}
	}
}

const ruleSchemaBind = "schema.bind"

// bindable reports members that a written input schema declares or requires and
// the type t does not have, and members whose JSON type t cannot hold.
// Arguments with such a member fit the schema and cannot be bound to t, so
// every call would be refused as the caller's fault.
func (c *checker) bindable(t reflect.Type, written *tree.Document) {
	b := bindCheck{checker: c, seen: map[bindStep]bool{}, reported: map[string]bool{}}
	b.check(t, []*tree.Node{written.Root})
}

type bindCheck struct {
	*checker

	seen     map[bindStep]bool
	reported map[string]bool // pointers
}

// A bindStep is a schema that describes values of a type.
type bindStep struct {
	of reflect.Type
	by *tree.Node
}

// check compares a type with the schemas of its values.
func (b *bindCheck) check(t reflect.Type, schemas []*tree.Node) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if elem, ok := strictjson.NullElem(t); ok {
		t = elem
	}
	if t == rawType || derive.OwnForm(t, schema.Input) {
		return
	}
	applied := b.demanding(t, schemas)
	for _, n := range applied {
		b.typed(t, n)
	}
	switch t.Kind() { //nolint:exhaustive // the other kinds have no members
	case reflect.Slice, reflect.Array:
		b.below(t.Elem(), applied, "items", "prefixItems", "contains", "unevaluatedItems")
	case reflect.Map:
		b.below(t.Elem(), applied, "properties", "patternProperties", "additionalProperties", "unevaluatedProperties")
	case reflect.Struct:
		b.members(t, applied)
	}
}

// typed reports a schema whose values all have a JSON type that cannot be bound
// to t.
func (b *bindCheck) typed(t reflect.Type, n *tree.Node) {
	bound := jsonTypes(t)
	wanted, listed := n.Value("type").([]any)
	if one, ok := n.Value("type").(string); ok {
		wanted, listed = []any{one}, true
	}
	binds := func(name any) bool {
		text, _ := name.(string)
		return slices.Contains(bound, text) || text == "null"
	}
	pointer := strictjson.Pointer(n.Pointer(), "type")
	if bound == nil || !listed || b.reported[pointer] || slices.ContainsFunc(wanted, binds) {
		return
	}
	b.reported[pointer] = true
	b.bad(ruleSchemaBind, "inputSchema "+pointer, fmt.Sprintf("the type %s can hold no value of this JSON type, so every call with "+
		"one would be refused", t),
		"write the JSON type "+strings.Join(bound, " or ")+", or change the Go type")
}

// jsonTypes returns the JSON types that can be bound to t, nil for all of them.
// A whole number is a number.
func jsonTypes(t reflect.Type) []string {
	switch t.Kind() { //nolint:exhaustive // the other kinds are refused as inputs, or hold every value
	case reflect.Bool:
		return []string{"boolean"}
	case reflect.String:
		if t == reflect.TypeFor[json.Number]() {
			return []string{"number", "integer", "string"}
		}
		return []string{"string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return []string{"integer", "number"}
	case reflect.Float32, reflect.Float64:
		return []string{"number", "integer"}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return []string{"string", "array"}
		}
		return []string{"array"}
	case reflect.Map, reflect.Struct:
		return []string{"object"}
	}
	return nil
}

func (b *bindCheck) below(t reflect.Type, applied []*tree.Node, keywords ...string) {
	for _, n := range applied {
		for e := range n.Edges() {
			if slices.Contains(keywords, e.Keyword) {
				b.check(t, []*tree.Node{e.To})
			}
		}
	}
}

func (b *bindCheck) members(t reflect.Type, applied []*tree.Node) {
	fields := map[string]strictjson.Field{}
	for _, f := range strictjson.FieldsOf(t) {
		if slices.Contains(f.Options, "inline") || slices.Contains(f.Options, "unknown") {
			return // it takes every other member
		}
		fields[f.Name] = f
	}
	declared := map[string]bool{}
	for _, n := range applied {
		for e := range n.Edges() {
			if e.Keyword != "properties" {
				continue
			}
			declared[e.Name] = true
			if f, ok := fields[e.Name]; ok {
				if !f.Quoted() { // a quoted number is a string
					b.check(f.Struct.Type, []*tree.Node{e.To})
				}
			} else if !e.To.IsFalse() {
				b.lacks(t, strictjson.Pointer(n.Pointer(), "properties", e.Name))
			}
		}
	}
	missing := func(pointer string, list any) {
		names, _ := list.([]any)
		for i, item := range names {
			name, _ := item.(string)
			if _, ok := fields[name]; !ok && !declared[name] {
				b.lacks(t, strictjson.PointerIndex(pointer, i))
			}
		}
	}
	for _, n := range applied {
		missing(strictjson.Pointer(n.Pointer(), "required"), n.Value("required"))
		dependent, _ := n.Value("dependentRequired").(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(dependent)) {
			missing(strictjson.Pointer(n.Pointer(), "dependentRequired", name), dependent[name])
		}
	}
}

func (b *bindCheck) lacks(t reflect.Type, pointer string) {
	if b.reported[pointer] {
		return
	}
	b.reported[pointer] = true
	b.bad(ruleSchemaBind, "inputSchema "+pointer, fmt.Sprintf("the schema has a member that the type %s does not have, so "+
		"every call with it would be refused", t),
		"give the type a field with this name in its json tag, or remove the member from the schema")
}

// demanding returns the given schemas and those in the same place that a value
// must or may satisfy. A negation and a condition demand nothing.
func (b *bindCheck) demanding(t reflect.Type, schemas []*tree.Node) []*tree.Node {
	var applied []*tree.Node
	var add func(n *tree.Node)
	add = func(n *tree.Node) {
		step := bindStep{t, n}
		if n.Form() != tree.Object || b.seen[step] {
			return
		}
		b.seen[step] = true
		applied = append(applied, n)
		for e := range n.Edges() {
			if tree.Demanding(n, e) {
				add(e.To)
			}
		}
	}
	for _, n := range schemas {
		add(n)
	}
	return applied
}
