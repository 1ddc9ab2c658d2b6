package derive

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A keyword is one that a jsonschema tag may contain.
type keyword struct {
	flag    bool   // takes no value
	repeats bool   // may occur more than once
	kinds   []kind // the kinds it applies to; nil means all
	set     func(r *fieldTags, to *target, s setting)
}

var (
	ofStrings  = []kind{kindString}
	ofNumbers  = []kind{kindInteger, kindNumber}
	ofArrays   = []kind{kindArray}
	ofFormats  = []kind{kindString, kindDuration}
	ofLimits   = []kind{kindInteger, kindNumber, kindDuration}
	ofValues   = []kind{kindString, kindInteger, kindNumber, kindDuration}
	ofExamples = []kind{kindString, kindInteger, kindNumber, kindBoolean, kindDuration}
	ofDefaults = []kind{kindString, kindInteger, kindNumber, kindBoolean, kindArray, kindDuration}
)

var keywords = map[string]keyword{
	"title":       {set: setText},
	"description": {set: setText},
	"required":    {flag: true, set: setRequired},
	"nullable":    {flag: true, set: setNullable},
	"readOnly":    {set: setBool},
	"writeOnly":   {set: setBool},

	"default": {kinds: ofDefaults, set: setDefault},
	"example": {kinds: ofExamples, repeats: true, set: setExample},
	"enum":    {kinds: ofValues, repeats: true, set: setEnum},

	"minLength": {kinds: ofStrings, set: setCount},
	"maxLength": {kinds: ofStrings, set: setCount},
	"pattern":   {kinds: ofStrings, set: setText},
	"format":    {kinds: ofFormats, set: setText},

	"minimum":          {kinds: ofLimits, set: setLimit},
	"maximum":          {kinds: ofLimits, set: setLimit},
	"exclusiveMinimum": {kinds: ofNumbers, set: setNumber},
	"exclusiveMaximum": {kinds: ofNumbers, set: setNumber},
	"multipleOf":       {kinds: ofNumbers, set: setNumber},

	"minItems":    {kinds: ofArrays, set: setCount},
	"maxItems":    {kinds: ofArrays, set: setCount},
	"uniqueItems": {kinds: ofArrays, set: setBool},
}

// keywordNames lists the names of keywords, sorted.
var keywordNames = slices.Sorted(maps.Keys(keywords))

// refused lists the keywords of github.com/invopop/jsonschema that this package
// doesn't support, with what to do instead.
var refused = map[string]string{
	"-":              `leave the field out with json:"-"`,
	"type":           "change the Go type, or give it a method JSONSchema",
	"anchor":         "remove it; types that are used twice are referred to by name",
	"oneof_required": "check it in the handler, or replace the whole schema",
	"anyof_required": "check it in the handler, or replace the whole schema",
	"oneof_ref":      "give the type a method JSONSchema, or replace the whole schema",
	"anyof_ref":      "give the type a method JSONSchema, or replace the whole schema",
	"oneof_type":     "give the type a method JSONSchema, or replace the whole schema",
	"anyof_type":     "give the type a method JSONSchema, or replace the whole schema",
}

// apply sets a keyword in the field's schema or, if the keyword applies to
// items, in theirs.
func (r *fieldTags) apply(k keyword, s setting) {
	to := r.target
	if !k.appliesTo(to) {
		if to = to.item; to == nil || !k.appliesTo(to) {
			r.problem(RuleTagApplies, s.keyword+" has no meaning for a value of this type", r.target.remedy())
			return
		}
	}
	if slices.Contains(to.own, s.keyword) && !describes(s.keyword) {
		r.fixed(s)
		return
	}
	if to.fixed && to.kind == kindString && slices.Contains([]string{"format", "pattern", "enum"}, s.keyword) {
		r.fixed(s)
		return
	}
	k.set(r, to, s)
}

// describes reports whether a keyword constrains nothing, so that it may
// replace the type's own.
func describes(keyword string) bool {
	return slices.Contains([]string{"title", "description", "readOnly", "writeOnly"}, keyword)
}

func (r *fieldTags) fixed(s setting) {
	r.problem(RuleTagApplies, "the Go type has a "+s.keyword+" of its own", "remove "+s.keyword)
}

func (k keyword) appliesTo(t *target) bool { return k.kinds == nil || slices.Contains(k.kinds, t.kind) }

// remedy lists the keywords that apply to a type.
func (t *target) remedy() string {
	applies := slices.DeleteFunc(slices.Clone(keywordNames), func(name string) bool {
		k := keywords[name]
		return !k.appliesTo(t) && (t.item == nil || !k.appliesTo(t.item))
	})
	return "what applies is: " + strings.Join(applies, ", ")
}

func setRequired(r *fieldTags, _ *target, _ setting) {
	if r.omitted && r.deriver.dir == schema.Output {
		r.problem(RuleTagApplies, "an output field that may be left out cannot be required",
			"remove required, or omitempty and omitzero")
		return
	}
	r.required = true
}

// setNullable makes a field that can hold null accept it.
func setNullable(r *fieldTags, _ *target, _ setting) {
	if !r.pointer {
		r.problem(RuleTagApplies, "nullable has no meaning for a field that cannot hold null",
			"use a pointer, or one of the Null types of package database/sql")
		return
	}
	r.target.null = true
}

func setText(_ *fieldTags, to *target, s setting) {
	if s.value == "" {
		to.schema.Delete(s.keyword)
		return
	}
	to.schema.Set(s.keyword, s.value)
}

func setBool(r *fieldTags, to *target, s setting) {
	switch s.value {
	case "true":
		to.schema.Set(s.keyword, true)
	case "false":
		to.schema.Delete(s.keyword)
	default:
		r.problem(RuleTagValue, s.keyword+" takes true or false", "write "+s.keyword+"=true")
	}
}

func setCount(r *fieldTags, to *target, s setting) {
	count, err := strconv.ParseUint(s.value, 10, 31)
	switch {
	case err != nil:
		r.problem(RuleTagValue, s.keyword+" takes a count", "write a whole number, such as "+s.keyword+"=1")
	case to.schema.Value(s.keyword) != nil:
		r.fixed(s)
	default:
		to.schema.Set(s.keyword, int64(count))
	}
}

func setLimit(r *fieldTags, to *target, s setting) {
	if to.kind != kindDuration {
		setNumber(r, to, s)
		return
	}
	if bound, ok := r.value(kindDuration, s); ok {
		to.schema.Set("x-"+s.keyword, bound)
	}
}

func setNumber(r *fieldTags, to *target, s setting) {
	value, ok := parseValue(kindNumber, s.value)
	data, err := strictjson.Marshal(value)
	number := json.Number(data)
	limit, _ := to.schema.Value(s.keyword).(json.Number)
	switch {
	case !ok || err != nil || s.keyword == "multipleOf" && strings.Trim(s.value, "0.") == "":
		r.problem(RuleTagValue, s.keyword+" takes a number", "write a number, such as "+s.keyword+"=1")
	case limit != "" && exceeds(s.keyword, value, limit):
		r.problem(RuleTagValue, fmt.Sprintf("%s is beyond the range of the Go type, which ends at %s", s.keyword, limit),
			"choose a larger type, or a bound within it")
	default:
		to.schema.Set(s.keyword, number)
	}
}

// exceeds reports whether a bound is outside the Go type's own bound.
func exceeds(keyword string, bound any, own json.Number) bool {
	a := tree.Rational(bound)
	b := tree.Rational(own)
	if keyword == "minimum" {
		return a.Cmp(b) < 0
	}
	return a.Cmp(b) > 0
}

func setDefault(r *fieldTags, to *target, s setting) {
	if to.kind != kindArray {
		if value, ok := r.value(to.kind, s); ok {
			to.schema.Set("default", value)
		}
		return
	}
	if to.item == nil {
		r.problem(RuleTagApplies, "default has no meaning for a value of this type", "remove it")
		return
	}
	if value, ok := r.value(to.item.kind, s); ok {
		to.add("default", value)
	}
}

func setExample(r *fieldTags, to *target, s setting) {
	if value, ok := r.value(to.kind, s); ok {
		to.add("examples", value)
	}
}

func setEnum(r *fieldTags, to *target, s setting) {
	value, ok := r.value(to.kind, s)
	switch {
	case !ok:
	case slices.Contains(to.list("enum"), value):
		r.problem(RuleTagDuplicate, "an enum value is given twice", "keep one")
	default:
		to.add("enum", value)
	}
}

// accepted describes the values a keyword takes, by kind.
var accepted = map[kind]string{
	kindInteger: "an integer", kindNumber: "a number", kindBoolean: "true or false",
	kindDuration: "a duration of Go in whole seconds, such as 1h30m,",
	kindArray:    "no value on arrays of arrays", kindObject: "no value on objects", kindOther: "no value on any",
}

// value parses the text of a tag as a value of a kind.
func (r *fieldTags) value(of kind, s setting) (any, bool) {
	value, ok := parseValue(of, s.value)
	if !ok {
		r.problem(RuleTagValue, s.keyword+" takes "+accepted[of]+" here", "correct or remove the value of "+s.keyword)
	}
	return value, ok
}

func parseValue(of kind, text string) (any, bool) {
	if of == kindString {
		return text, true
	}
	if of == kindDuration {
		return parseDuration(text)
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

// Keywords returns the keywords that a jsonschema tag may contain, sorted. The
// slice belongs to the caller.
func Keywords() []string { return slices.Clone(keywordNames) }
