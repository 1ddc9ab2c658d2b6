package observe

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A spec holds what all schemas that apply to one value demand.
type spec struct {
	nodes []*tree.Node // the schemas, each once
	never bool         // one of them is false

	types   []string // nil: any
	values  []any    // of enum and const
	limited bool     // only values are allowed

	examples []any // of examples and default
	secret   bool  // no log may contain the value

	low, high limit
	multiples []*big.Rat

	minLength, maxLength int
	patterns, formats    []string
	durations            durations

	minItems, maxItems int
	unique             bool
	lists              []*tree.Node // those that demand something of the items
	contained          []*tree.Node // those with contains

	minProperties, maxProperties int
	required                     []string
	forbidden                    []string
	dependent                    map[string][]string
	objects                      []*tree.Node // those that demand something of the members
	names                        []*tree.Node // of propertyNames
}

// A limit is one end of a range. A nil value is no limit.
type limit struct {
	value     *big.Rat
	exclusive bool
}

const unlimited = math.MaxInt32

func newSpec() *spec {
	return &spec{maxLength: unlimited, maxItems: unlimited, maxProperties: unlimited, dependent: map[string][]string{}}
}

// merge returns the demands of several schemas. It draws one branch of each
// choice.
func (d *drawer) merge(schemas []*tree.Node) *spec {
	s := newSpec()
	for _, n := range schemas {
		d.add(s, n)
	}
	return s
}

// add adds a schema's demands. The schema may be nil.
func (d *drawer) add(s *spec, n *tree.Node) {
	if n.IsFalse() {
		s.never = true
		return
	}
	if n == nil || slices.Contains(s.nodes, n) {
		return
	}
	s.nodes = append(s.nodes, n)
	s.addTypes(n)
	s.addValues(n)
	s.addNotes(n)
	s.addNumbers(n)
	s.addTexts(n)
	s.addItems(n)
	s.addMembers(n)
	d.addInPlace(s, n)
}

// addInPlace adds the schemas that apply to the value itself.
func (d *drawer) addInPlace(s *spec, n *tree.Node) {
	d.add(s, n.Ref)
	for _, one := range n.Below("allOf") {
		d.add(s, one)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches := slices.DeleteFunc(slices.Clone(n.Below(keyword)), (*tree.Node).IsFalse)
		if len(branches) > 0 {
			d.add(s, branches[d.index(len(branches))])
		}
	}
	if condition := n.Child("if", ""); condition != nil {
		if d.coin() {
			d.add(s, condition)
			d.add(s, n.Child("then", ""))
		} else {
			d.add(s, n.Child("else", ""))
		}
	}
	for _, dependent := range n.Below("dependentSchemas") {
		name := dependent.Step().Name
		if !slices.Contains(s.required, name) && !d.coin() {
			s.forbidden = append(s.forbidden, name)
			continue
		}
		s.required = append(s.required, name)
		d.add(s, dependent)
	}
}

// addTypes keeps the order of the names, because types are drawn in that order.
func (s *spec) addTypes(n *tree.Node) {
	named := n.Texts("type")
	if name := n.Text("type"); name != "" {
		named = []string{name}
	}
	if named == nil {
		return
	}
	if s.types == nil {
		s.types = named
		return
	}
	both := []string{}
	for _, name := range s.types {
		switch {
		case slices.Contains(named, name), name == "integer" && slices.Contains(named, "number"):
			both = append(both, name)
		case name == "number" && slices.Contains(named, "integer"):
			both = append(both, "integer")
		}
	}
	s.types = both
}

func (s *spec) addValues(n *tree.Node) {
	if constant, ok := n.Get("const"); ok {
		s.addList([]any{constant})
	}
	if values := n.List("enum"); values != nil {
		s.addList(values)
	}
}

// addNotes adds the annotations that name likely values.
func (s *spec) addNotes(n *tree.Node) {
	s.examples = append(s.examples, n.List("examples")...)
	if value, ok := n.Get("default"); ok {
		s.examples = append(s.examples, value)
	}
	s.secret = s.secret || n.Is(schema.SecretKeyword) || n.Is(schema.SensitiveKeyword)
}

func (s *spec) addList(values []any) {
	if !s.limited {
		s.values, s.limited = values, true
		return
	}
	s.values = slices.DeleteFunc(slices.Clone(s.values), func(v any) bool {
		return !slices.ContainsFunc(values, func(w any) bool { return equal(v, w) })
	})
}

// equal reports whether two trees are the same JSON value.
func equal(a, b any) bool { return textOf(a) == textOf(b) }

// textOf returns the canonical JSON of a tree, or "".
func textOf(tree any) string {
	raw, err := strictjson.Marshal(tree)
	if err != nil {
		return ""
	}
	return string(raw)
}

func (s *spec) addNumbers(n *tree.Node) {
	for _, l := range []struct {
		keyword   string
		exclusive bool
		end       *limit
		tighter   int
	}{
		{"minimum", false, &s.low, 1}, {"exclusiveMinimum", true, &s.low, 1},
		{"maximum", false, &s.high, -1}, {"exclusiveMaximum", true, &s.high, -1},
	} {
		value := n.Number(l.keyword)
		if value == nil {
			continue
		}
		if l.end.value == nil || value.Cmp(l.end.value) == l.tighter {
			*l.end = limit{value, l.exclusive}
		} else if value.Cmp(l.end.value) == 0 {
			l.end.exclusive = l.end.exclusive || l.exclusive
		}
	}
	if multiple := n.Number("multipleOf"); multiple != nil && multiple.Sign() > 0 {
		s.multiples = append(s.multiples, multiple)
	}
}

func (s *spec) addTexts(n *tree.Node) {
	s.minLength = max(s.minLength, size(n, "minLength", 0))
	s.maxLength = min(s.maxLength, size(n, "maxLength", unlimited))
	if pattern, ok := n.Value("pattern").(string); ok {
		s.patterns = append(s.patterns, pattern)
	}
	if format := n.Text("format"); slices.Contains(schema.Formats(), format) {
		s.formats = append(s.formats, format)
	}
	s.durations.add(n)
}

func (s *spec) addItems(n *tree.Node) {
	s.minItems = max(s.minItems, size(n, "minItems", 0))
	s.maxItems = min(s.maxItems, size(n, "maxItems", unlimited))
	s.unique = s.unique || n.Is("uniqueItems")
	if restOf(n) != nil || len(n.Below("prefixItems")) > 0 {
		s.lists = append(s.lists, n)
	}
	if n.Child("contains", "") != nil {
		s.contained = append(s.contained, n)
	}
}

// restOf returns the schema of the items after those of prefixItems. Nil: any
// item.
func restOf(n *tree.Node) *tree.Node {
	return cmp.Or(n.Child("items", ""), n.Child("unevaluatedItems", ""))
}

func (s *spec) addMembers(n *tree.Node) {
	s.minProperties = max(s.minProperties, size(n, "minProperties", 0))
	s.maxProperties = min(s.maxProperties, size(n, "maxProperties", unlimited))
	s.required = append(s.required, n.Texts("required")...)
	for name, others := range n.DependentRequired() {
		s.dependent[name] = append(s.dependent[name], others...)
	}
	if names := n.Child("propertyNames", ""); names != nil {
		s.names = append(s.names, names)
	}
	for _, keyword := range []string{"properties", "patternProperties", "additionalProperties", "unevaluatedProperties"} {
		if len(n.Below(keyword)) > 0 {
			s.objects = append(s.objects, n)
			break
		}
	}
}

// size returns the number in a keyword that counts something.
func size(n *tree.Node, keyword string, absent int) int {
	if number, ok := n.Size(keyword); ok {
		return number
	}
	return absent
}
