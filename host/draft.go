package host

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The drafts that a schema can follow.
const (
	draft7    = "draft-07"
	draft2020 = "2020-12"
)

func invalidDraft7(_ Fact, t tool) []hit { return t.invalid(draft7) }

// invalidDraft2020 checks a schema against the draft that it declares.
func invalidDraft2020(_ Fact, t tool) []hit {
	declared, _ := t.input.root()["$schema"].(string)
	if strings.Contains(declared, "draft-07") {
		return t.invalid(draft7)
	}
	return t.invalid(draft2020)
}

func (t tool) invalid(draft string) []hit {
	var all []hit
	for _, s := range []schema{t.input, t.output} {
		all = append(all, s.invalid(draft)...)
	}
	return all
}

// invalid returns the keywords whose values a draft doesn't allow. It descends
// only through keywords that the draft has.
func (s schema) invalid(draft string) []hit {
	if len(s.nodes) == 0 {
		return nil
	}
	return invalidAt(draft, s.nodes[0].pointer, s.nodes[0].value)
}

func invalidAt(draft, pointer string, value any) []hit {
	object, isObject := value.(map[string]any)
	if _, isBool := value.(bool); !isObject && !isBool {
		return []hit{{pointer: pointer, detail: "a schema is an object, true or false"}}
	}
	var all []hit
	for _, keyword := range slices.Sorted(maps.Keys(object)) {
		form := forms[draft][keyword]
		if form == "" {
			form = forms[""][keyword]
		}
		below := join(pointer, keyword)
		if form != "" && !hasForm(form, object[keyword]) {
			all = append(all, hit{pointer: below, detail: keyword + " is not " + form})
			continue
		}
		switch value := object[keyword].(type) {
		case []any:
			if form == someSchemas || form == oneOrSchemas {
				for i, one := range value {
					all = append(all, invalidAt(draft, below+"/"+strconv.Itoa(i), one)...)
				}
			}
		case map[string]any:
			if form == aSchema || form == oneOrSchemas {
				all = append(all, invalidAt(draft, below, value)...)
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(value)) {
				_, isList := value[name].([]any)
				if form == namedSchemas || form == dependencies && !isList {
					all = append(all, invalidAt(draft, join(below, name), value[name])...)
				}
			}
		}
	}
	return all
}

// The forms of values.
const (
	aSchema      = "a schema"
	someSchemas  = "a list of schemas"
	oneOrSchemas = "a schema or a list of schemas"
	namedSchemas = "an object of schemas"
	dependencies = "an object of schemas or lists of names"
	namedNames   = "an object of lists of names"
	aText        = "a text"
	aBool        = "true or false"
	aNumber      = "a number"
	aSize        = "a whole number from zero"
	positive     = "a number above zero"
	aList        = "a list"
	namesOnce    = "a list of different names"
	theTypes     = "a type, or a list of different types"
	anAnchor     = "a name"
)

// forms has the form of each keyword's value, by draft; those that both drafts
// share are under the empty name.
var forms = map[string]map[string]string{
	"": {
		"$id": aText, "$schema": aText, "$ref": aText, "$comment": aText, "title": aText, "description": aText, "pattern": aText,
		"format": aText, "contentMediaType": aText, "contentEncoding": aText,
		"readOnly": aBool, "writeOnly": aBool, "uniqueItems": aBool,
		"minimum": aNumber, "maximum": aNumber, "exclusiveMinimum": aNumber, "exclusiveMaximum": aNumber, "multipleOf": positive,
		"minLength": aSize, "maxLength": aSize, "minItems": aSize, "maxItems": aSize, "minProperties": aSize, "maxProperties": aSize,
		"required": namesOnce, "enum": aList, "examples": aList, "type": theTypes,
		"allOf": someSchemas, "anyOf": someSchemas, "oneOf": someSchemas,
		"not": aSchema, "if": aSchema, "then": aSchema, "else": aSchema, "contains": aSchema, "propertyNames": aSchema,
		"additionalProperties": aSchema,
		"properties":           namedSchemas, "patternProperties": namedSchemas, "definitions": namedSchemas,
		"dependencies": dependencies,
	},
	draft7: {"items": oneOrSchemas, "additionalItems": aSchema},
	draft2020: {
		"items": aSchema, "prefixItems": someSchemas, "$defs": namedSchemas, "dependentSchemas": namedSchemas,
		"dependentRequired": namedNames, "unevaluatedItems": aSchema, "unevaluatedProperties": aSchema, "contentSchema": aSchema,
		"minContains": aSize, "maxContains": aSize, "deprecated": aBool, "$dynamicRef": aText, "$anchor": anAnchor,
		"$dynamicAnchor": anAnchor,
	},
}

var anchor = regexp.MustCompile(`^[A-Za-z_][-A-Za-z0-9._]*$`)

// hasForm reports whether a value has a form. The schemas inside it are checked
// separately.
func hasForm(form string, value any) bool {
	number, isNumber := value.(json.Number)
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	text, isText := value.(string)
	_, isBool := value.(bool)
	switch form {
	case aSchema:
		return isObject || isBool
	case someSchemas:
		return len(list) > 0
	case oneOrSchemas:
		return isObject || isBool || len(list) > 0
	case namedSchemas:
		return isObject
	case dependencies, namedNames:
		for _, v := range object {
			if _, isList := v.([]any); isList && !hasForm(namesOnce, v) || !isList && form == namedNames {
				return false
			}
		}
		return isObject
	case aText:
		return isText
	case anAnchor:
		return isText && anchor.MatchString(text)
	case aBool:
		return isBool
	case aNumber:
		return isNumber
	case positive:
		f, err := number.Float64()
		return isNumber && (err != nil || f > 0)
	case aSize:
		f, err := number.Float64()
		return isNumber && err == nil && f >= 0 && f == float64(int64(f))
	case aList:
		return isList
	case namesOnce:
		return isList && isDistinct(list, func(string) bool { return true })
	case theTypes:
		isType := func(word string) bool { return oneOf(word, "array boolean integer null number object string") }
		return isText && isType(text) || len(list) > 0 && isDistinct(list, isType)
	}
	return true
}

// isDistinct reports whether a list consists of distinct, allowed texts.
func isDistinct(list []any, allowed func(string) bool) bool {
	seen := map[string]bool{}
	for _, v := range list {
		text, isText := v.(string)
		if !isText || seen[text] || !allowed(text) {
			return false
		}
		seen[text] = true
	}
	return true
}
