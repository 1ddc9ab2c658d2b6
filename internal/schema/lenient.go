package schema

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Form is a way to write a value that differs from what its schema demands.
type Form uint8

// The forms. The numbers are those of contract.Leniency.
const (
	NullAsAbsent  Form = iota + 1 // null for a member that may be absent
	TextAsNumber                  // the text of a JSON number
	TextAsBoolean                 // the text "true" or "false"
	SingleAsList                  // a single value for a list of one

	// CanonicalDuration reads every duration as its shortest text, such as PT3H
	// for PT180M. It lists no readings, and no contract declares it.
	CanonicalDuration Form = 1<<8 - 1
)

// A Reading records a value that was read in another form.
type Reading struct {
	Pointer string // JSON Pointer into the arguments as sent, printable and bounded
	Form    Form
}

// A LenientReader reads arguments leniently where the tool's author allows it:
// null as absent, text as a number or a boolean, a single value as a list of
// one. It is immutable and safe for concurrent use.
//
// A value is read in another form only if its schema refuses the value's JSON
// type and accepts the type of the other form. So a value that a strict reading
// accepts never changes. Each value has at most one other form, and the result
// is validated like any other.
//
// The reader finds a value's schema on paths of properties, patternProperties,
// additionalProperties, items and prefixItems, through $ref, allOf and an anyOf
// with null. Below other unions it reads nothing leniently, because it would
// have to guess the branch.
type LenientReader struct {
	root     *tree.Node
	forms    []Form
	skip     []string                  // root members that are read strictly
	types    []accepted                // by schema index
	patterns map[string]*regexp.Regexp // of patternProperties
}

// NewLenientReader returns a reader for values of a document that compiles. It
// reads the root members in skip strictly.
func NewLenientReader(document *tree.Document, forms []Form, skip ...string) *LenientReader {
	r := &LenientReader{root: document.Root, forms: forms, skip: skip, patterns: map[string]*regexp.Regexp{}}
	for _, n := range document.All {
		r.types = append(r.types, typesOfOne(n, nil))
		for _, p := range n.Below("patternProperties") {
			r.patterns[p.Step().Name], _ = tree.Regexp(p.Step().Name) // it compiled before
		}
	}
	return r
}

// Read returns value with some parts read in another form, and lists those
// parts in document order, with members sorted by name. It does not change
// value.
//
// A nil LenientReader reads strictly.
func (r *LenientReader) Read(value any) (read any, readings []Reading) {
	if r == nil {
		return value, nil
	}
	run := reading{LenientReader: r}
	read = run.within(value, []*tree.Node{r.root}, "")
	return read, run.readings
}

// A reading is one run of a LenientReader.
type reading struct {
	*LenientReader

	readings []Reading
}

func (r *reading) note(at string, form Form) {
	r.readings = append(r.readings, Reading{strictjson.PrintablePointer(at), form})
}

func (r *reading) allows(form Form) bool { return slices.Contains(r.forms, form) }

// value reads a value that all of the schemas apply to.
func (r *reading) value(v any, schemas []*tree.Node, at string) any {
	if text, ok := v.(string); ok && r.allows(CanonicalDuration) && slices.ContainsFunc(always(schemas), isDuration) {
		return canonicalDuration(text)
	}
	accepted := r.typesOf(schemas)
	if !accepted.Accepts(v) {
		if scalar, form := r.scalar(v, accepted); form != 0 {
			r.note(at, form)
			return scalar
		}
		if r.allows(SingleAsList) && v != nil && accepted.has(tree.ArrayType) {
			r.note(at, SingleAsList)
			return []any{r.value(v, itemSchemas(always(schemas), 0), at)}
		}
	}
	return r.within(v, schemas, at)
}

// scalar returns another form of a text, or none.
func (r *reading) scalar(v any, accepted accepted) (any, Form) {
	text, isText := v.(string)
	switch {
	case !isText:
	case r.allows(TextAsBoolean) && accepted.has(tree.BooleanType) && (text == "true" || text == "false"):
		return text == "true", TextAsBoolean
	case r.allows(TextAsNumber) && accepted.has(tree.NumberType):
		number, err := strictjson.Parse([]byte(text), strictjson.Limits{})
		if err == nil && tree.TypeOf(number)&tree.NumberType != 0 && strings.TrimSpace(text) == text &&
			accepted.Accepts(number) {
			return number, TextAsNumber
		}
	}
	return nil, 0
}

// within reads the members or items of a value.
func (r *reading) within(v any, schemas []*tree.Node, at string) any {
	applied := always(schemas)
	switch v := v.(type) {
	case map[string]any:
		return r.members(v, applied, at)
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = r.value(item, itemSchemas(applied, i), strictjson.PointerIndex(at, i))
		}
		return items
	}
	return v
}

func (r *reading) members(v map[string]any, applied []*tree.Node, at string) map[string]any {
	members := make(map[string]any, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		value := v[name]
		schemas := r.memberSchemas(applied, name)
		below := strictjson.Pointer(at, name)
		switch {
		case at == "" && slices.Contains(r.skip, name):
			members[name] = value
		case value == nil && r.allows(NullAsAbsent) && r.isAbsent(applied, schemas, name):
			r.note(below, NullAsAbsent)
		default:
			members[name] = r.value(value, schemas, below)
		}
	}
	return members
}

// isAbsent reports whether null means an absent member: the member is declared,
// doesn't accept null and isn't required.
func (r *reading) isAbsent(applied, schemas []*tree.Node, name string) bool {
	accepted := r.typesOf(schemas)
	if !accepted.named || accepted.Accepts(nil) {
		return false
	}
	return !slices.ContainsFunc(applied, func(n *tree.Node) bool { return n.Requires(name) })
}

// always returns schemas together with those that apply to all their values, or
// to all but null.
func always(schemas []*tree.Node) []*tree.Node {
	return tree.InPlace(schemas, tree.Always)
}

// memberSchemas returns the schemas for a member of an object.
func (r *LenientReader) memberSchemas(applied []*tree.Node, name string) []*tree.Node {
	var schemas []*tree.Node
	for _, n := range applied {
		schemas = append(schemas, n.Members(name, func(pattern string) bool { return r.matches(pattern, name) })...)
	}
	return schemas
}

func (r *LenientReader) matches(pattern, name string) bool {
	re := r.patterns[pattern]
	return re != nil && re.MatchString(name)
}

// itemSchemas returns the schemas for the item at an index.
func itemSchemas(applied []*tree.Node, i int) []*tree.Node {
	var schemas []*tree.Node
	for _, n := range applied {
		if item := n.Item(i); item != nil {
			schemas = append(schemas, item)
		}
	}
	return schemas
}

// typesOf returns the types that all of the schemas accept. ok is false if they
// name no types, and so may accept all.
func (r *LenientReader) typesOf(schemas []*tree.Node) accepted {
	all := anything
	for _, n := range schemas {
		all = all.and(r.types[n.Index()])
	}
	return all
}

// accepted is the set of JSON types that schemas accept.
type accepted struct {
	tree.Types

	named bool // false: no keyword names a type
}

var anything = accepted{Types: tree.AnyType}

// and returns the types that both sets accept.
func (a accepted) and(other accepted) accepted {
	return accepted{a.Types & other.Types, a.named || other.named}
}

// has reports whether any of the given types is named.
func (a accepted) has(types tree.Types) bool { return a.named && a.Types&types != 0 }

// typesOfOne returns the types of a schema: those of its own type keyword, of
// its $ref, and of every branch of its unions. above holds the schemas on the
// path to it.
func typesOfOne(n *tree.Node, above []*tree.Node) accepted {
	if slices.Contains(above, n) {
		return anything
	}
	above = append(slices.Clip(above), n)
	own := anything
	if types, ok := n.Types(); ok {
		own = accepted{types, true}
	}
	for e := range n.Edges() {
		if e.Keyword == "$ref" || e.Keyword == "allOf" {
			own = own.and(typesOfOne(e.To, above))
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		own = own.and(typesOfUnion(n.Below(keyword), above))
	}
	return own
}

// typesOfUnion returns the types of all branches. A branch that names no types
// accepts all.
func typesOfUnion(branches, above []*tree.Node) accepted {
	if len(branches) == 0 {
		return anything
	}
	all := accepted{named: true}
	for _, branch := range branches {
		of := typesOfOne(branch, above)
		all.Types |= of.Types
		all.named = all.named && of.named
	}
	if !all.named {
		return anything
	}
	return all
}
