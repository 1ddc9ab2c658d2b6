package oldschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A keyword is one that a jsonschema tag may hold.
type keyword struct {
	flag    bool        // takes no value
	repeats bool        // may be given more than once
	kinds   []valueKind // what it says something about; nil is everything
	set     func(t *tagReader, target *shape, e entry)
}

var (
	stringKinds  = []valueKind{kindString}
	numberKinds  = []valueKind{kindInteger, kindNumber}
	arrayKinds   = []valueKind{kindArray}
	valueKinds   = []valueKind{kindString, kindInteger, kindNumber}
	defaultKinds = []valueKind{kindString, kindInteger, kindNumber, kindBoolean, kindArray}
	exampleKinds = []valueKind{kindString, kindInteger, kindNumber, kindBoolean}
)

// keywords are all that a tag may hold.
var keywords = map[string]keyword{
	"title":       {set: func(_ *tagReader, s *shape, e entry) { s.schema.Title = e.value }},
	"description": {set: func(_ *tagReader, s *shape, e entry) { s.schema.Description = e.value }},
	"required":    {flag: true, set: setRequired},
	"readOnly":    {set: setBool(func(s *jsonschema.Schema) *bool { return &s.ReadOnly })},
	"writeOnly":   {set: setBool(func(s *jsonschema.Schema) *bool { return &s.WriteOnly })},

	"default": {kinds: defaultKinds, set: setDefault},
	"example": {kinds: exampleKinds, repeats: true, set: setExample},
	"enum":    {kinds: valueKinds, repeats: true, set: setEnum},

	"minLength": {kinds: stringKinds, set: setCount(func(s *jsonschema.Schema) **uint64 { return &s.MinLength })},
	"maxLength": {kinds: stringKinds, set: setCount(func(s *jsonschema.Schema) **uint64 { return &s.MaxLength })},
	"pattern":   {kinds: stringKinds, set: func(_ *tagReader, s *shape, e entry) { s.schema.Pattern = e.value }},
	"format":    {kinds: stringKinds, set: func(_ *tagReader, s *shape, e entry) { s.schema.Format = e.value }},

	"minimum":          {kinds: numberKinds, set: setNumber(func(s *jsonschema.Schema) *json.Number { return &s.Minimum })},
	"maximum":          {kinds: numberKinds, set: setNumber(func(s *jsonschema.Schema) *json.Number { return &s.Maximum })},
	"exclusiveMinimum": {kinds: numberKinds, set: setNumber(func(s *jsonschema.Schema) *json.Number { return &s.ExclusiveMinimum })},
	"exclusiveMaximum": {kinds: numberKinds, set: setNumber(func(s *jsonschema.Schema) *json.Number { return &s.ExclusiveMaximum })},
	"multipleOf":       {kinds: numberKinds, set: setNumber(func(s *jsonschema.Schema) *json.Number { return &s.MultipleOf })},

	"minItems":    {kinds: arrayKinds, set: setCount(func(s *jsonschema.Schema) **uint64 { return &s.MinItems })},
	"maxItems":    {kinds: arrayKinds, set: setCount(func(s *jsonschema.Schema) **uint64 { return &s.MaxItems })},
	"uniqueItems": {kinds: arrayKinds, set: setBool(func(s *jsonschema.Schema) *bool { return &s.UniqueItems })},
}

// keywordNames are the names of keywords, sorted.
var keywordNames = slices.Sorted(maps.Keys(keywords))

// refused are the keywords that github.com/invopop/jsonschema knows and this package does not keep, and what to do
// instead.
var refused = map[string]string{
	"-":              `leave the field out with json:"-"`,
	"type":           "change the Go type, or give it a method JSONSchema",
	"anchor":         "remove it; types that are used twice are referred to by name",
	"nullable":       "leave an absent value out: omitempty or omitzero in the json tag",
	"oneof_required": "check it in the handler, or replace the whole schema",
	"anyof_required": "check it in the handler, or replace the whole schema",
	"oneof_ref":      "give the type a method JSONSchema, or replace the whole schema",
	"anyof_ref":      "give the type a method JSONSchema, or replace the whole schema",
	"oneof_type":     "give the type a method JSONSchema, or replace the whole schema",
	"anyof_type":     "give the type a method JSONSchema, or replace the whole schema",
}

// apply sets a keyword on the field's schema or, where it is one of items, on theirs.
func (t *tagReader) apply(k keyword, e entry) {
	target := t.target
	if !k.appliesTo(target) {
		if target = target.item; target == nil || t.target.kind != kindArray || !k.appliesTo(target) {
			t.problem(RuleTagApplies, e.keyword+" says nothing about a value of this type", t.target.remedy())
			return
		}
	}
	if target.fixed && target.kind == kindString && slices.Contains([]string{"format", "pattern", "enum"}, e.keyword) {
		t.problem(RuleTagApplies, "the Go type has a "+e.keyword+" of its own", "remove "+e.keyword)
		return
	}
	k.set(t, target, e)
}

func (k keyword) appliesTo(s *shape) bool {
	return k.kinds == nil || slices.Contains(k.kinds, s.kind)
}

// remedy lists what can be said about a type.
func (s *shape) remedy() string {
	var names []string
	for _, name := range keywordNames {
		if k := keywords[name]; k.appliesTo(s) || s.kind == kindArray && s.item != nil && k.appliesTo(s.item) {
			names = append(names, name)
		}
	}
	return "what applies is: " + strings.Join(names, ", ")
}

func setRequired(t *tagReader, _ *shape, _ entry) {
	if t.omits && t.deriver.dir == Output {
		t.problem(RuleTagApplies, "an output field that may be left out cannot be required", "remove required, or omitempty and omitzero")
		return
	}
	t.required = true
}

func setBool(member func(*jsonschema.Schema) *bool) func(*tagReader, *shape, entry) {
	return func(t *tagReader, target *shape, e entry) {
		if e.value != "true" && e.value != "false" {
			t.problem(RuleTagValue, e.keyword+" takes true or false", "write "+e.keyword+"=true")
			return
		}
		*member(target.schema) = e.value == "true"
	}
}

func setCount(member func(*jsonschema.Schema) **uint64) func(*tagReader, *shape, entry) {
	return func(t *tagReader, target *shape, e entry) {
		n, err := strconv.ParseUint(e.value, 10, 31)
		if err != nil {
			t.problem(RuleTagValue, e.keyword+" takes a count", "write a whole number, such as "+e.keyword+"=1")
			return
		}
		if fixed := *member(target.schema); fixed != nil {
			t.problem(RuleTagApplies, "the Go type has a "+e.keyword+" of its own", "remove "+e.keyword)
			return
		}
		*member(target.schema) = &n
	}
}

func setNumber(member func(*jsonschema.Schema) *json.Number) func(*tagReader, *shape, entry) {
	return func(t *tagReader, target *shape, e entry) {
		value, ok := parseNumber(e.value)
		if !ok || e.keyword == "multipleOf" && strings.Trim(e.value, "0.") == "" {
			t.problem(RuleTagValue, e.keyword+" takes a number", "write a number, such as "+e.keyword+"=1")
			return
		}
		limit := member(target.schema)
		if *limit != "" && looser(e.keyword, value, *limit) {
			t.problem(RuleTagValue, fmt.Sprintf("%s is beyond the range of the Go type, which ends at %s", e.keyword, *limit), "choose a larger type, or a bound within it")
			return
		}
		*limit = value
	}
}

// looser reports whether a bound lies outside the one that the Go type has.
func looser(keyword string, bound, own json.Number) bool {
	a, okA := new(big.Rat).SetString(string(bound))
	b, okB := new(big.Rat).SetString(string(own))
	if !okA || !okB {
		return false
	}
	if keyword == "minimum" {
		return a.Cmp(b) < 0
	}
	return a.Cmp(b) > 0
}

func parseNumber(text string) (json.Number, bool) {
	value, ok := parseValue(kindNumber, text)
	if !ok {
		return "", false
	}
	data, err := strictjson.Marshal(value)
	return json.Number(data), err == nil
}

func setDefault(t *tagReader, target *shape, e entry) {
	schema, of := target.schema, target.kind
	if of == kindArray {
		if target.item == nil {
			t.problem(RuleTagApplies, "default says nothing about a value of this type", "remove it")
			return
		}
		of = target.item.kind
	}
	value, ok := t.value(of, e)
	if !ok {
		return
	}
	if target.kind != kindArray {
		schema.Default = value
		return
	}
	list, _ := schema.Default.([]any)
	list = append(list, value)
	schema.Default = list
}

func setExample(t *tagReader, target *shape, e entry) {
	if value, ok := t.value(target.kind, e); ok {
		target.schema.Examples = append(target.schema.Examples, value)
	}
}

func setEnum(t *tagReader, target *shape, e entry) {
	value, ok := t.value(target.kind, e)
	switch {
	case !ok:
	case slices.Contains(target.schema.Enum, value):
		t.problem(RuleTagDuplicate, "an enum value is given twice", "keep one")
	default:
		target.schema.Enum = append(target.schema.Enum, value)
	}
}

// value reads a tag's text as a value of the field's kind.
func (t *tagReader) value(of valueKind, e entry) (any, bool) {
	value, ok := parseValue(of, e.value)
	if !ok {
		names := map[valueKind]string{
			kindInteger: "an integer", kindNumber: "a number", kindBoolean: "true or false",
			kindArray: "no value on arrays of arrays", kindObject: "no value on objects", kindOther: "no value on any",
		}
		t.problem(RuleTagValue, e.keyword+" takes "+names[of]+" here", "correct or remove the value of "+e.keyword)
	}
	return value, ok
}

func parseValue(of valueKind, text string) (any, bool) {
	if of == kindString {
		return text, true
	}
	value, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	if err != nil {
		return nil, false
	}
	switch value.(type) {
	case bool:
		return value, of == kindBoolean
	case int64, uint64:
		return value, of == kindInteger || of == kindNumber
	case float64:
		return value, of == kindNumber
	default:
		return nil, false
	}
}
