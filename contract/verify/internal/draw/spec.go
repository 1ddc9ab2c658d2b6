package draw

import (
	"math"
	"math/big"
	"slices"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A part is a subschema that applies to a value.
type part struct {
	node  *jsonschema.Node
	never bool // it is false
}

// A spec holds the demands of all schemas that apply to one value.
type spec struct {
	nodes []*jsonschema.Node // the schemas, each once
	never bool               // one of them is false

	types   []string // nil: any
	values  []any    // of enum and const
	limited bool     // only values are allowed

	examples []any // of examples and default
	secret   bool  // no log may have the value

	low, high limit
	multiples []*big.Rat

	minLength, maxLength int
	patterns, formats    []string

	minItems, maxItems int
	unique             bool
	lists              []list
	contained          []contained

	minProperties, maxProperties int
	required                     []string
	forbidden                    []string
	dependent                    map[string][]string
	objects                      []object
	names                        []part
}

// A limit is one end of a range. A nil value is no limit.
type limit struct {
	value     *big.Rat
	exclusive bool
}

// A list holds the demands of one schema on the items of an array.
type list struct {
	prefix []part
	rest   *part // nil: any
}

// A contained is one contains of a schema.
type contained struct {
	part part
	min  int
}

// An object holds the demands of one schema on the members of an object.
type object struct {
	properties map[string]part
	patterns   []patterned
	rest       *part // additionalProperties; nil: any
	last       *part // unevaluatedProperties; nil: any
}

type patterned struct {
	pattern string
	part    part
}

const unlimited = math.MaxInt32

func newSpec() *spec {
	return &spec{maxLength: unlimited, maxItems: unlimited, maxProperties: unlimited, dependent: map[string][]string{}}
}

// merge returns the demands of all parts. It draws a branch of each choice.
func (d *drawer) merge(parts []part) *spec {
	s := newSpec()
	for _, p := range parts {
		d.add(s, p)
	}
	return s
}

func (d *drawer) add(s *spec, p part) {
	if p.never {
		s.never = true
		return
	}
	n := p.node
	if n == nil || slices.Contains(s.nodes, n) {
		return
	}
	s.nodes = append(s.nodes, n)
	written, _ := n.Written().(map[string]any)
	s.addTypes(written)
	s.addValues(written)
	s.addNotes(written)
	s.addNumbers(written)
	s.addTexts(written)
	s.addItems(n)
	s.addMembers(n)
	d.addInPlace(s, n)
}

// addInPlace adds the schemas that apply to the value itself.
func (d *drawer) addInPlace(s *spec, n *jsonschema.Node) {
	if n.Ref != nil {
		d.add(s, part{node: n.Ref})
	}
	for _, p := range children(n, "allOf") {
		d.add(s, p)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches := slices.DeleteFunc(children(n, keyword), func(p part) bool { return p.never })
		if len(branches) > 0 {
			d.add(s, branches[d.index(len(branches))])
		}
	}
	if condition, ok := child(n, "if"); ok {
		then, _ := child(n, "then")
		otherwise, _ := child(n, "else")
		if d.coin() {
			d.add(s, condition)
			d.add(s, then)
		} else {
			d.add(s, otherwise)
		}
	}
	for e := range n.Edges() {
		if e.Keyword != "dependentSchemas" {
			continue
		}
		if !slices.Contains(s.required, e.Name) && !d.coin() {
			s.forbidden = append(s.forbidden, e.Name)
			continue
		}
		s.required = append(s.required, e.Name)
		d.add(s, partOf(n, e))
	}
}

// children returns the schemas that a keyword of n holds, in their order.
func children(n *jsonschema.Node, keyword string) []part {
	var parts []part
	for e := range n.Edges() {
		if e.Keyword == keyword {
			parts = append(parts, partOf(n, e))
		}
	}
	return parts
}

// child returns the one schema that a keyword of n holds.
func child(n *jsonschema.Node, keyword string) (part, bool) {
	parts := children(n, keyword)
	if len(parts) == 0 {
		return part{}, false
	}
	return parts[0], true
}

// partOf returns the schema that an edge of n leads to.
func partOf(n *jsonschema.Node, e jsonschema.Edge) part {
	held := n.Value(e.Keyword)
	switch {
	case jsonschema.HoldsMap(e.Keyword):
		members, _ := held.(map[string]any)
		held = members[e.Name]
	case jsonschema.HoldsList(e.Keyword):
		parts, _ := held.([]any)
		for i, p := range parts {
			if e.Name == indexName(i) {
				held = p
			}
		}
	}
	return part{node: e.To, never: held == false}
}

func (s *spec) addTypes(keywords map[string]any) {
	var named []string
	switch types := keywords["type"].(type) {
	case string:
		named = []string{types}
	case []any:
		for _, name := range types {
			if text, ok := name.(string); ok {
				named = append(named, text)
			}
		}
	default:
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

func (s *spec) addValues(keywords map[string]any) {
	values, ok := keywords["enum"].([]any)
	if constant, isConstant := keywords["const"]; isConstant {
		s.addList([]any{constant})
	}
	if ok {
		s.addList(values)
	}
}

// addNotes adds the annotations that name likely values.
func (s *spec) addNotes(keywords map[string]any) {
	examples, _ := keywords["examples"].([]any)
	s.examples = append(s.examples, examples...)
	if value, ok := keywords["default"]; ok {
		s.examples = append(s.examples, value)
	}
	s.secret = s.secret || keywords[schema.SecretKeyword] == true || keywords[schema.SensitiveKeyword] == true
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

func (s *spec) addNumbers(keywords map[string]any) {
	for _, l := range []struct {
		keyword   string
		exclusive bool
		end       *limit
		tighter   int
	}{
		{"minimum", false, &s.low, 1}, {"exclusiveMinimum", true, &s.low, 1},
		{"maximum", false, &s.high, -1}, {"exclusiveMaximum", true, &s.high, -1},
	} {
		value := rational(keywords[l.keyword])
		if value == nil {
			continue
		}
		if l.end.value == nil || value.Cmp(l.end.value) == l.tighter {
			*l.end = limit{value, l.exclusive}
		} else if value.Cmp(l.end.value) == 0 {
			l.end.exclusive = l.end.exclusive || l.exclusive
		}
	}
	if multiple := rational(keywords["multipleOf"]); multiple != nil && multiple.Sign() > 0 {
		s.multiples = append(s.multiples, multiple)
	}
}

func (s *spec) addTexts(keywords map[string]any) {
	s.minLength = max(s.minLength, count(keywords["minLength"], 0))
	s.maxLength = min(s.maxLength, count(keywords["maxLength"], unlimited))
	if pattern, ok := keywords["pattern"].(string); ok {
		s.patterns = append(s.patterns, pattern)
	}
	if format, ok := keywords["format"].(string); ok && slices.Contains(schema.Formats(), format) {
		s.formats = append(s.formats, format)
	}
}

func (s *spec) addItems(n *jsonschema.Node) {
	s.minItems = max(s.minItems, count(n.Value("minItems"), 0))
	s.maxItems = min(s.maxItems, count(n.Value("maxItems"), unlimited))
	s.unique = s.unique || n.Is("uniqueItems")
	of := list{prefix: children(n, "prefixItems")}
	for _, keyword := range []string{"items", "unevaluatedItems"} {
		if rest, ok := child(n, keyword); ok && of.rest == nil {
			of.rest = &rest
		}
	}
	if of.rest != nil || of.prefix != nil {
		s.lists = append(s.lists, of)
	}
	if p, ok := child(n, "contains"); ok {
		s.contained = append(s.contained, contained{p, count(n.Value("minContains"), 1)})
	}
}

func (s *spec) addMembers(n *jsonschema.Node) {
	s.minProperties = max(s.minProperties, count(n.Value("minProperties"), 0))
	s.maxProperties = min(s.maxProperties, count(n.Value("maxProperties"), unlimited))
	s.required = append(s.required, texts(n.Value("required"))...)
	dependent, _ := n.Value("dependentRequired").(map[string]any)
	for name, others := range dependent {
		s.dependent[name] = append(s.dependent[name], texts(others)...)
	}
	if p, ok := child(n, "propertyNames"); ok {
		s.names = append(s.names, p)
	}
	of, declares := object{properties: map[string]part{}}, false
	for e := range n.Edges() {
		p := partOf(n, e)
		switch e.Keyword {
		case "properties":
			of.properties[e.Name] = p
		case "patternProperties":
			of.patterns = append(of.patterns, patterned{e.Name, p})
		case "additionalProperties":
			of.rest = &p
		case "unevaluatedProperties":
			of.last = &p
		default:
			continue
		}
		declares = true
	}
	if declares {
		s.objects = append(s.objects, of)
	}
}

// texts returns the strings of a JSON array.
func texts(tree any) []string {
	items, _ := tree.([]any)
	var all []string
	for _, item := range items {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// count returns the whole number of a keyword, at most unlimited.
func count(tree any, absent int) int {
	value := rational(tree)
	if value == nil || value.Sign() < 0 {
		return absent
	}
	if value.Cmp(big.NewRat(unlimited, 1)) >= 0 {
		return unlimited
	}
	whole, _ := value.Float64()
	return int(whole)
}
