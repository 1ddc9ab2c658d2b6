package oldschema

import (
	"fmt"
	"strings"
)

// An entry is one keyword=value of a tag.
type entry struct {
	keyword  string
	value    string
	hasValue bool
}

// splitTag reads a list of keyword=value. Commas separate, unless a backslash stands before them.
func splitTag(tag string) []entry {
	var entries []entry
	for _, piece := range splitCommas(tag) {
		keyword, value, hasValue := strings.Cut(piece, "=")
		entries = append(entries, entry{keyword, value, hasValue})
	}
	return entries
}

func splitCommas(tag string) []string {
	var pieces []string
	var piece strings.Builder
	for i := 0; i < len(tag); i++ {
		switch {
		case tag[i] == '\\' && i+1 < len(tag) && tag[i+1] == ',':
			piece.WriteByte(',')
			i++
		case tag[i] == ',':
			pieces = append(pieces, piece.String())
			piece.Reset()
		default:
			piece.WriteByte(tag[i])
		}
	}
	return append(pieces, piece.String())
}

// tags applies a field's tags to its shape and returns whether the field is required.
func (d *deriver) tags(f field, at string, target *shape, required bool) bool {
	t := tagReader{deriver: d, at: at, target: target, required: required, omits: f.Optional() || f.ViaPointer, seen: map[string]bool{}}
	if tag, ok := f.Struct.Tag.Lookup("jsonschema"); ok {
		t.read(splitTag(tag))
	}
	if description, ok := f.Struct.Tag.Lookup("jsonschema_description"); ok {
		t.description(description)
	}
	if extras, ok := f.Struct.Tag.Lookup("jsonschema_extras"); ok {
		t.extras(splitTag(extras))
	}
	if t.required && target.schema.Default != nil {
		t.problem(RuleDefault, "a required field has a default, which can never apply", "add omitempty or omitzero to the json tag, or remove the default")
	}
	return t.required
}

// A tagReader reads the tags of one field.
type tagReader struct {
	deriver  *deriver
	at       string
	target   *shape
	required bool
	omits    bool
	seen     map[string]bool
}

func (t *tagReader) problem(rule, message, remedy string) {
	t.deriver.problem(rule, t.at, message, remedy)
}

func (t *tagReader) read(entries []entry) {
	if cut := t.commas(entries); cut != nil {
		entries = cut
	}
	for _, e := range entries {
		t.entry(e)
	}
}

// commas looks for a value that a comma has cut: what follows the comma is no keyword. It reports it, and returns the
// entries without the two halves, which would only be reported again.
func (t *tagReader) commas(entries []entry) []entry {
	var whole []entry
	for _, e := range entries {
		last := len(whole) - 1
		if _, known := keywords[e.keyword]; known || refused[e.keyword] != "" || looksLikeKeyword(e) || last < 0 || !whole[last].hasValue {
			whole = append(whole, e)
			continue
		}
		t.problem(RuleTagComma, fmt.Sprintf("the value of %s is cut at a comma", whole[last].keyword), `write a comma within a value as \\,`)
		t.seen[whole[last].keyword] = true
		whole = whole[:last]
	}
	return whole
}

// looksLikeKeyword reports whether an entry may be a misspelt keyword rather than the rest of a value.
func looksLikeKeyword(e entry) bool {
	if e.keyword == "" {
		return false
	}
	for _, r := range e.keyword {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '-') {
			return false
		}
	}
	return e.hasValue || closest(e.keyword, keywordNames) != ""
}

func (t *tagReader) entry(e entry) {
	k, known := keywords[e.keyword]
	switch {
	case e.keyword == "" && !e.hasValue:
		t.problem(RuleTagValue, "an empty keyword", "remove the comma too many, or the empty tag")
	case refused[e.keyword] != "":
		t.problem(RuleTagRefused, e.keyword+" is not supported", refused[e.keyword])
	case !known:
		t.problem(RuleTagUnknown, fmt.Sprintf("%q is not a keyword%s", cut(e.keyword, maxListedText), didYouMean(e.keyword, keywordNames)),
			"use one of: "+strings.Join(keywordNames, ", "))
	case e.hasValue == k.flag:
		remedy := "write " + e.keyword + "=value"
		if k.flag {
			remedy = "write " + e.keyword + " alone"
		}
		t.problem(RuleTagValue, e.keyword+" takes "+map[bool]string{true: "no value", false: "a value"}[k.flag], remedy)
	case t.seen[e.keyword] && !(k.repeats || e.keyword == "default" && t.target.kind == kindArray):
		t.problem(RuleTagDuplicate, e.keyword+" is given twice", "keep one")
	default:
		t.apply(k, e)
	}
	t.seen[e.keyword] = true
}

func (t *tagReader) description(text string) {
	if t.seen["description"] {
		t.problem(RuleTagDuplicate, "the description is given twice", "keep either description or jsonschema_description")
		return
	}
	t.target.schema.Description = text
}

// extras publishes x-… entries as they are: true and false as booleans, what is repeated as a list.
func (t *tagReader) extras(entries []entry) {
	for _, e := range entries {
		switch {
		case !strings.HasPrefix(e.keyword, "x-") || len(e.keyword) == len("x-") || e.keyword == uniqueKeyword:
			t.problem(RuleTagUnknown, fmt.Sprintf("%q is not an extra", cut(e.keyword, maxListedText)), "extras are named x-…; put keywords into the jsonschema tag")
		case isProtection(e.keyword):
			t.problem(RuleTagUnknown, e.keyword+" says what the contract tag says", `write contract:"`+strings.TrimPrefix(e.keyword, "x-")+`" instead`)
		case !e.hasValue:
			t.problem(RuleTagValue, e.keyword+" takes a value", "write "+e.keyword+"=value")
		default:
			t.extra(e)
		}
	}
}

func (t *tagReader) extra(e entry) {
	schema := t.target.schema
	if schema.Extras == nil {
		schema.Extras = map[string]any{}
	}
	var value any = e.value
	if e.value == "true" || e.value == "false" {
		value = e.value == "true"
	}
	switch given := schema.Extras[e.keyword].(type) {
	case nil:
		schema.Extras[e.keyword] = value
	case []any:
		schema.Extras[e.keyword] = append(given, value)
	default:
		schema.Extras[e.keyword] = []any{given, value}
	}
}
