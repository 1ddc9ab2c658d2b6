package derive

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A setting is one keyword=value pair of a tag.
type setting struct {
	keyword  string
	value    string
	hasValue bool
}

// settings parses a list of keyword=value pairs, separated by commas. A
// backslash escapes a comma.
func settings(tag string) []setting {
	var list []setting
	for start, i := 0, 0; i <= len(tag); i++ {
		switch {
		case i < len(tag) && tag[i] == '\\' && strings.HasPrefix(tag[i+1:], ","):
			i++
		case i == len(tag) || tag[i] == ',':
			keyword, value, hasValue := strings.Cut(strings.ReplaceAll(tag[start:i], `\,`, ","), "=")
			list = append(list, setting{keyword, value, hasValue})
			start = i + 1
		}
	}
	return list
}

// tags applies a field's tags to its schema and reports whether the field is
// required.
func (d *deriver) tags(f strictjson.Field, at string, value *target) bool {
	r := fieldTags{
		deriver: d, at: at, target: value, seen: map[string]bool{},
		pointer: f.Struct.Type.Kind() == reflect.Pointer, omitted: f.Optional() || f.ViaPointer, required: !f.Optional() &&
			!(f.ViaPointer && d.dir == schema.Output),
	}
	if tag, ok := f.Struct.Tag.Lookup("jsonschema"); ok {
		list := settings(tag)
		if value.nanoseconds && slices.Contains(list, setting{"format", "duration", true}) {
			r.problem(RuleTagApplies, "a time.Duration is an integer of nanoseconds, which no tag turns into text",
				"use the type contract.Duration, without format=duration")
			return r.required
		}
		for _, s := range r.uncut(list) {
			r.set(s)
		}
	}
	if description, ok := f.Struct.Tag.Lookup("jsonschema_description"); ok {
		if r.seen["description"] {
			r.problem(RuleTagDuplicate, "the description is given twice", "keep either description or jsonschema_description")
		} else {
			setText(&r, value, setting{keyword: "description", value: description})
		}
	}
	if extras, ok := f.Struct.Tag.Lookup("jsonschema_extras"); ok {
		for _, s := range settings(extras) {
			r.extra(s)
		}
	}
	value.describeDurations()
	if r.required && value.schema.Value("default") != nil {
		r.problem(schema.RuleDefault, "a required field has a default, which can never apply", "add omitempty or omitzero to the json "+
			"tag, or remove the default")
	}
	return r.required
}

// fieldTags applies the tags of one field.
type fieldTags struct {
	deriver  *deriver
	at       string
	target   *target
	required bool
	pointer  bool // the field can hold null
	omitted  bool // encoding/json may leave the field out
	seen     map[string]bool
}

func (r *fieldTags) problem(rule, message, remedy string) {
	r.deriver.problem(rule, r.at, message, remedy)
}

// uncut reports values that a comma has cut: what follows the comma isn't a
// keyword. It returns the settings without both halves, so that they aren't
// reported again.
func (r *fieldTags) uncut(list []setting) []setting {
	var whole []setting
	for _, s := range list {
		last := len(whole) - 1
		if s.mayBeKeyword() || last < 0 || !whole[last].hasValue {
			whole = append(whole, s)
			continue
		}
		r.problem(RuleTagComma, fmt.Sprintf("the value of %s is cut at a comma", whole[last].keyword), commaRemedy(whole[last], s))
		r.seen[whole[last].keyword] = true
		whole = whole[:last]
	}
	return whole
}

// commaRemedy returns the remedy for a value before a comma and the rest after
// it, which isn't a keyword.
func commaRemedy(before, rest setting) string {
	const escape = `write a comma within a value as \\,`
	word := strings.TrimSpace(rest.keyword)
	if _, known := keywords[word]; known {
		return "remove the blank before " + word + "; " + escape
	}
	if keywords[before.keyword].repeats {
		return fmt.Sprintf("give each value with %s= of its own; %s", before.keyword, escape)
	}
	return escape
}

// mayBeKeyword reports whether a setting is a keyword, possibly misspelled,
// rather than the rest of a value.
func (s setting) mayBeKeyword() bool {
	if _, known := keywords[s.keyword]; known || refused[s.keyword] != "" {
		return true
	}
	isWord := s.keyword != "" && !strings.ContainsFunc(s.keyword, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '-')
	})
	return isWord && (s.hasValue || enum.Closest(s.keyword, keywordNames) != "")
}

func (r *fieldTags) set(s setting) {
	k, known := keywords[s.keyword]
	switch {
	case s.keyword == "" && !s.hasValue:
		r.problem(RuleTagValue, "an empty keyword", "remove the extra comma, or the empty tag")
	case refused[s.keyword] != "":
		r.problem(RuleTagRefused, s.keyword+" is not supported", refused[s.keyword])
	case !known:
		r.problem(RuleTagUnknown, fmt.Sprintf("%q is not a keyword%s", shortened(s.keyword), enum.DidYouMean(s.keyword,
			keywordNames)),
			"use one of: "+strings.Join(keywordNames, ", "))
	case k.flag && s.hasValue:
		r.problem(RuleTagValue, s.keyword+" takes no value", "write "+s.keyword+" alone")
	case !k.flag && !s.hasValue:
		r.problem(RuleTagValue, s.keyword+" takes a value", "write "+s.keyword+"=value")
	case r.seen[s.keyword] && !k.repeats && !(s.keyword == "default" && r.target.kind == kindArray):
		r.problem(RuleTagDuplicate, s.keyword+" is given twice", "keep one")
	default:
		r.apply(k, s)
	}
	r.seen[s.keyword] = true
}

// extra publishes an x-… setting: true and false become booleans, a repeated
// setting a list.
func (r *fieldTags) extra(s setting) {
	switch {
	case !strings.HasPrefix(s.keyword, "x-") || s.keyword == "x-" || s.keyword == schema.UniqueKeyword:
		r.problem(RuleTagUnknown, fmt.Sprintf("%q is not an extra", shortened(s.keyword)), "extras are named x-…; put keywords into "+
			"the jsonschema tag")
		return
	case schema.IsDurationBound(s.keyword) && r.target.kind == kindDuration:
		r.problem(RuleTagUnknown, s.keyword+" is set by the jsonschema tag", "write "+strings.TrimPrefix(s.keyword, "x-")+
			"= there instead")
		return
	case schema.IsProtection(s.keyword):
		r.problem(RuleTagUnknown, s.keyword+" is set by the contract tag", `write contract:"`+strings.TrimPrefix(s.keyword, "x-")+
			`" instead`)
		return
	case !s.hasValue:
		r.problem(RuleTagValue, s.keyword+" takes a value", "write "+s.keyword+"=value")
		return
	}
	var value any = s.value
	if s.value == "true" || s.value == "false" {
		value = s.value == "true"
	}
	switch given := r.target.schema.Value(s.keyword).(type) {
	case nil:
		r.target.schema.Set(s.keyword, value)
	case []any:
		r.target.add(s.keyword, value)
	default:
		r.target.schema.Set(s.keyword, []any{given, value})
	}
}

// maxShown is the number of bytes of a keyword that a message shows.
const maxShown = 64

func shortened(keyword string) string {
	if len(keyword) <= maxShown {
		return keyword
	}
	return strings.ToValidUTF8(keyword[:maxShown], "") + "…"
}
