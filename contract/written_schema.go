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

// bindable reports members that a written input schema declares, requires or
// leaves open and the type t does not have, and JSON types that t cannot hold.
// Such arguments fit the schema but cannot be bound to t, so every call with
// them would be refused as if the caller had made a mistake.
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
	t, ok := valueType(t)
	if !ok {
		return
	}
	applied := b.demanding(t, schemas)
	for _, n := range applied {
		b.typed(t, n)
	}
	switch t.Kind() { //nolint:exhaustive // the other kinds have no members
	case reflect.Slice, reflect.Array:
		b.below(t.Elem(), applied, "items", "prefixItems", "contains", "unevaluatedItems")
		b.elements(t.Elem(), applied, "items", "unevaluatedItems")
	case reflect.Map:
		b.below(t.Elem(), applied, "properties", "patternProperties", "additionalProperties", "unevaluatedProperties")
		b.elements(t.Elem(), applied, "additionalProperties", "unevaluatedProperties")
	case reflect.Struct:
		if len(applied) > 0 {
			b.members(t, applied)
		}
		if len(applied) > 0 || schemas[0].Form() == tree.True {
			b.open(t, schemas)
		}
	}
}

// valueType returns the type of the values that t holds. ok is false if that
// type decodes its own JSON.
func valueType(t reflect.Type) (of reflect.Type, ok bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if elem, isNull := strictjson.NullElem(t); isNull {
		t = elem
	}
	return t, t != rawType && !derive.OwnForm(t, schema.Input)
}

// typed reports a schema that names a JSON type that cannot be bound to t.
func (b *bindCheck) typed(t reflect.Type, n *tree.Node) {
	bound := jsonTypes(t)
	wanted, listed := n.Value("type").([]any)
	if one, ok := n.Value("type").(string); ok {
		wanted, listed = []any{one}, true
	}
	cannot := func(name any) bool {
		text, _ := name.(string)
		return !slices.Contains(bound, text) && text != "null"
	}
	pointer := strictjson.Pointer(n.Pointer(), "type")
	if bound == nil || !listed || b.reported[pointer] || !slices.ContainsFunc(wanted, cannot) {
		return
	}
	b.reported[pointer] = true
	b.bad(ruleSchemaBind, "inputSchema "+pointer, fmt.Sprintf("the type %s holds no value of a JSON type that the schema accepts, "+
		"so every call with one would be refused", t),
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

// elements reports a list or map of structs whose schema has no keyword for the
// elements that it does not list.
func (b *bindCheck) elements(t reflect.Type, applied []*tree.Node, keywords ...string) {
	of, ok := valueType(t)
	has := func(n *tree.Node) bool {
		return slices.ContainsFunc(keywords, func(keyword string) bool { return n.Has(keyword) })
	}
	if ok && of.Kind() == reflect.Struct && len(applied) > 0 && !slices.ContainsFunc(applied, has) {
		b.accepts(of, applied[0].Pointer())
	}
}

func (b *bindCheck) members(t reflect.Type, applied []*tree.Node) {
	fields := map[string]bool{}
	for _, f := range strictjson.FieldsOf(t) {
		fields[f.Name] = true
		if slices.Contains(f.Options, "embed") {
			b.bad(ruleSchemaBind, t.String()+"."+f.Struct.Name, `encoding/json does not know the option "embed", and no field tag `+
				"would protect what the field takes", "embed the struct without a name, or use a map or json.RawMessage for the member")
		}
		for _, n := range applied {
			if f.Quoted() { // a quoted number is a string
				continue
			}
			for _, of := range n.Members(f.Name, func(pattern string) bool { return matches(pattern, f.Name) }) {
				b.check(f.Struct.Type, []*tree.Node{of})
			}
		}
	}
	declared := map[string]bool{}
	for _, n := range applied {
		for _, member := range n.Below("properties") {
			name := member.Step().Name
			declared[name] = true
			if !fields[name] && !member.IsFalse() {
				b.lacks(t, member.Pointer())
			}
		}
	}
	missing := func(pointer string, list any) {
		names, _ := list.([]any)
		for i, item := range names {
			name, _ := item.(string)
			if !fields[name] && !declared[name] {
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

// matches reports whether a pattern matches a name. The pattern has compiled
// before.
func matches(pattern, name string) bool {
	re, err := tree.Regexp(pattern)
	return err == nil && re.MatchString(name)
}

// open reports schemas of a struct t that accept members of any name.
func (b *bindCheck) open(t reflect.Type, schemas []*tree.Node) {
	always := tree.InPlace(schemas, tree.Always)
	if slices.ContainsFunc(always, isClosed) {
		return
	}
	for _, n := range always {
		if opener := openerOf(n); opener != nil {
			b.accepts(t, opener.Pointer())
			return
		}
	}
	b.accepts(t, schemas[0].Pointer())
}

func (b *bindCheck) accepts(t reflect.Type, pointer string) {
	where := strings.TrimSpace("inputSchema " + pointer)
	if b.reported[where] {
		return
	}
	b.reported[where] = true
	b.bad(ruleSchemaBind, where, fmt.Sprintf("the schema accepts members that the type %s does not have, so every call with one "+
		"would be refused", t),
		`write "additionalProperties": false, or use a map or json.RawMessage, which hold them`)
}

// isClosed reports whether the objects that a schema accepts have only the
// members it names. It ends, because no schema that has compiled applies
// itself.
func isClosed(n *tree.Node) bool {
	types, typed := n.Types()
	return n.IsFalse() || typed && types&tree.ObjectType == 0 ||
		n.Child("additionalProperties", "").IsFalse() && openerOf(n) == nil ||
		n.Child("unevaluatedProperties", "").IsFalse() && !slices.ContainsFunc(tree.InPlace([]*tree.Node{n}, tree.Everything),
			func(n *tree.Node) bool { return openerOf(n) != nil }) ||
		n.Ref != nil && isClosed(n.Ref) || slices.ContainsFunc(n.Below("allOf"), isClosed) ||
		areClosed(n.Below("anyOf")) || areClosed(n.Below("oneOf"))
}

func areClosed(branches []*tree.Node) bool {
	return len(branches) > 0 && !slices.ContainsFunc(branches, func(n *tree.Node) bool { return !isClosed(n) })
}

// openerOf returns the subschema by which a schema accepts members that it does
// not name, or nil.
func openerOf(n *tree.Node) *tree.Node {
	for _, keyword := range []string{"patternProperties", "additionalProperties", "unevaluatedProperties"} {
		for _, of := range n.Below(keyword) {
			if !of.IsFalse() {
				return of
			}
		}
	}
	return nil
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
