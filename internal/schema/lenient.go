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
	TextAsJSON                    // the JSON text of a list or an object
	EmptyAsAbsent                 // "" for a member that may be absent and refuses it
	HostMember                    // a member that a host adds

	// CanonicalDuration reads every duration as its shortest text, such as PT3H
	// for PT180M. It lists no readings, and no contract declares it.
	CanonicalDuration Form = 1<<8 - 1
)

// hostMembers are the names of members that hosts add to the arguments of
// tools.
var hostMembers = append([]string{
	"toolCallId",    // n8n
	"random_string", // Cursor, if a tool has no arguments
}, chatMembers...)

// chatMembers are added by n8n to all calls of a workflow that a chat started.
// They are common names, so they count only together.
var chatMembers = []string{"sessionId", "action", "chatInput"}

// timeFormats are the formats of dates and times that refuse an empty text.
var timeFormats = []any{"date-time", "date", "time", "duration"}

// A Reading records a value that was read in another form.
type Reading struct {
	Pointer string // JSON Pointer into the arguments as sent, printable and bounded
	Form    Form
}

// A LenientReader reads arguments leniently where the tool's author allows it:
// null or an empty text as absent, text as a number, a boolean or JSON, and a
// single value as a list of one. It can also drop members that hosts add. It is
// immutable and safe for concurrent use.
//
// A value is read in another form only if its schema refuses the value and
// accepts the JSON type of the other form. So a value that a strict reading
// accepts never changes. The one exception is a member that a host adds: it is
// dropped unless the schema names it. Each value has at most one other form,
// and the result is validated like any other.
//
// The reader finds a value's schema on paths of properties, patternProperties,
// additionalProperties, items and prefixItems, through $ref, allOf and an anyOf
// with null. Below other unions it reads nothing leniently, because it would
// have to guess the branch.
type LenientReader struct {
	root     *tree.Node
	forms    []Form
	skip     []string                  // root members that are read strictly
	drop     []string                  // root members that hosts add and the schema doesn't name
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
	if slices.Contains(forms, HostMember) {
		r.drop = slices.DeleteFunc(slices.Clone(hostMembers), r.names)
	}
	return r
}

// DropsAccepted reports whether the reader may drop members that the schema
// accepts, because it is open to any member.
func (r *LenientReader) DropsAccepted() bool {
	return len(r.drop) > 0 && !r.root.Child("additionalProperties", "").IsFalse()
}

// names reports whether the schema of the arguments requires a member, or has a
// schema for it other than the one for all other members.
func (r *LenientReader) names(member string) bool {
	return slices.ContainsFunc(tree.InPlace([]*tree.Node{r.root}, tree.Everything), func(n *tree.Node) bool {
		return n.Requires(member) || n.Child("properties", member) != nil ||
			slices.ContainsFunc(n.Below("patternProperties"), func(p *tree.Node) bool { return r.matches(p.Step().Name, member) })
	})
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
		if read := r.json(v, accepted); read != nil {
			r.note(at, TextAsJSON)
			return r.within(read, schemas, at)
		}
		if r.allows(SingleAsList) && isOneItem(v) && accepted.has(tree.ArrayType) {
			r.note(at, SingleAsList)
			return []any{r.value(v, itemSchemas(always(schemas), 0), at)}
		}
	}
	return r.within(v, schemas, at)
}

// json returns the list or object whose JSON a text is, or nil.
func (r *reading) json(v any, accepted accepted) any {
	text, isText := v.(string)
	if !isText || !r.allows(TextAsJSON) || !accepted.has(tree.ArrayType|tree.ObjectType) {
		return nil
	}
	read, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	if err != nil || tree.TypeOf(read)&(tree.ArrayType|tree.ObjectType) == 0 || !accepted.Accepts(read) {
		return nil
	}
	return read
}

// isOneItem reports whether a value can only be a single item of a list. A text
// that may itself stand for a list, an empty list or no list can't.
func isOneItem(v any) bool {
	text, isText := v.(string)
	if !isText {
		return v != nil
	}
	trimmed := strings.TrimSpace(text)
	return trimmed != "" && trimmed != "null" && !strings.ContainsAny(trimmed[:1], `[{"`) && !strings.ContainsAny(text, ",;\n")
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
		case at == "" && r.isAdded(v, name):
			r.note(below, HostMember)
		case value == nil && r.allows(NullAsAbsent) && r.isAbsent(applied, schemas, name):
			r.note(below, NullAsAbsent)
		case value == "" && r.allows(EmptyAsAbsent) && r.isEmpty(applied, schemas, name):
			r.note(below, EmptyAsAbsent)
		default:
			members[name] = r.value(value, schemas, below)
		}
	}
	return members
}

// isAdded reports whether a host has added a member to the arguments.
func (r *reading) isAdded(arguments map[string]any, name string) bool {
	isLacking := func(member string) bool { _, has := arguments[member]; return !has }
	return slices.Contains(r.drop, name) && (!slices.Contains(chatMembers, name) || !slices.ContainsFunc(chatMembers, isLacking))
}

// isAbsent reports whether null means an absent member: the member is declared,
// doesn't accept null and isn't required.
func (r *reading) isAbsent(applied, schemas []*tree.Node, name string) bool {
	accepted := r.typesOf(schemas)
	return accepted.named && !accepted.Accepts(nil) && !isRequired(applied, name)
}

// isEmpty reports whether an empty text means an absent member: the member is
// optional, and is a number, a list, a time or an enum, none of which accepts
// the text.
func (r *reading) isEmpty(applied, schemas []*tree.Node, name string) bool {
	if isRequired(applied, name) {
		return false
	}
	accepted := r.typesOf(schemas)
	if !accepted.Accepts("") {
		return accepted.has(tree.NumberType | tree.ArrayType)
	}
	return slices.ContainsFunc(always(schemas), func(n *tree.Node) bool {
		return n.Has("enum") && !slices.Contains(n.List("enum"), any("")) || slices.Contains(timeFormats, n.Value("format"))
	})
}

func isRequired(applied []*tree.Node, name string) bool {
	return slices.ContainsFunc(applied, func(n *tree.Node) bool { return n.Requires(name) })
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
