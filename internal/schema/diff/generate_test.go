package diff_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A generator makes schemas, changes to schemas, and values that a schema
// nearly accepts. Its vocabulary is small, so that keywords often meet.
type generator struct {
	rand *rand.Rand
}

type object = map[string]any

var memberNames = []string{"a", "b", "c", "ab"}

func pick[T any](g generator, from ...T) T { return from[g.rand.IntN(len(from))] }

func (g generator) chance(percent int) bool { return g.rand.IntN(100) < percent }

// document returns a schema whose root is an object, with definitions that may
// be recursive.
func (g generator) document() object {
	root := object{"type": "object"}
	g.objectKeywords(root, 3)
	if _, ok := root["properties"]; !ok {
		root["properties"] = object{"a": g.schema(3)}
	}
	if g.chance(15) {
		g.scene(root)
	}
	root["$defs"] = object{
		"leaf": g.schema(1),
		"tree": object{
			"type": "object", "additionalProperties": false,
			"properties": object{"a": g.schema(1), "b": object{"$ref": "#/$defs/tree"}, "c": object{"type": "array",
				"items": object{"$ref": "#/$defs/tree"}}},
		},
	}
	for _, s := range spots(root, nil) {
		if s["type"] == "object" && g.chance(20) {
			g.reactive(s)
		}
		if s["type"] == "object" && g.chance(30) {
			s["additionalProperties"] = false
		}
	}
	if g.chance(70) {
		for _, s := range spots(root, nil) {
			if g.chance(30) {
				g.giveDefault(s, root)
			}
		}
	}
	return settled(root)
}

// reactive adds a keyword that may refuse an object because of a member of it
// or of an object below it.
func (g generator) reactive(s object) {
	name := pick(g, memberNames...)
	has := object{"required": []any{name}}
	inside := object{"properties": object{name: g.schema(1)}, "required": []any{name}}
	switch g.rand.IntN(7) {
	case 0:
		s["not"] = pick(g, has, inside, object{"properties": object{name: object{"required": []any{pick(g, memberNames...)}}},
			"required": []any{name}})
	case 1:
		s["if"], s["then"] = pick(g, has, inside), g.schema(1)
	case 2:
		s["maxProperties"] = int64(1 + g.rand.IntN(3))
	case 3:
		s["dependentRequired"] = object{name: []any{pick(g, memberNames...)}}
	case 4:
		s["minProperties"] = int64(1 + g.rand.IntN(2))
	case 5:
		s["allOf"] = []any{inside, pick[any](g, object{"maxProperties": int64(2)},
			object{"propertyNames": object{"maxLength": int64(1)}}, g.schema(1))}
	case 6:
		list := object{"type": "array", "items": object{"type": "object", "additionalProperties": false,
			"properties": object{"a": g.schema(0), "b": g.schema(0)}}}
		list[pick(g, "uniqueItems", "contains")] = true
		if _, ok := list["contains"]; ok {
			list["contains"] = pick[any](g, has, object{"maxProperties": int64(1)}, object{"not": has})
		}
		properties, _ := s["properties"].(object)
		if properties == nil {
			properties = object{}
			s["properties"] = properties
		}
		properties[name] = list
	}
}

// scene adds a closed object, or a list of them, under a keyword that may
// refuse it because of one more member.
func (g generator) scene(root object) {
	inner := object{"type": "object", "additionalProperties": false, "properties": object{"a": g.schema(0)}}
	properties, _ := root["properties"].(object)
	properties["c"] = inner
	has := object{"required": []any{pick(g, "b", "ab")}}
	more := pick[any](g, has, object{"minProperties": int64(2)}, object{"not": object{"maxProperties": int64(1)}})
	switch g.rand.IntN(4) {
	case 0:
		root["not"] = object{"required": []any{"c"}, "properties": object{"c": more}}
	case 1:
		root["if"], root["then"] = object{"required": []any{"c"}, "properties": object{"c": more}}, object{"required": []any{"a"}}
	case 2:
		properties["c"] = object{"type": "array", "items": inner, pick(g, "uniqueItems", "contains"): true}
		if list := properties["c"].(object); list["contains"] != nil {
			list["contains"] = object{"not": more}
		}
	case 3:
		properties["c"] = object{"type": "array", "items": inner, "contains": more, "minContains": int64(0), "maxContains": int64(1)}
	}
}

// giveDefault gives a schema a default that it may accept. settled removes the
// default if it doesn't.
func (g generator) giveDefault(s, root object) {
	definitions, _ := root["$defs"].(object)
	within := slices.ContainsFunc(spots(definitions["tree"], nil), func(other object) bool {
		return reflect.ValueOf(other).Pointer() == reflect.ValueOf(s).Pointer()
	})
	if within && g.chance(97) {
		return // a recursive schema would fill itself in endlessly
	}
	if g.chance(30) && (s["type"] == nil || s["type"] == "object") {
		s["default"] = object{}
		return
	}
	s["default"] = g.value(s, root, 3)
}

// withDefault returns a schema with a default.
func (g generator) withDefault(root object) any {
	switch g.rand.IntN(6) {
	case 0:
		return object{"type": "integer", "default": int64(1)}
	case 1:
		return object{"default": pick[any](g, "a", int64(2), nil, object{}, []any{object{}})}
	case 2:
		return object{"type": "object", "default": object{}, "properties": object{"a": object{"default": int64(1)},
			"b": object{"type": "string", "default": "b"}}}
	case 3:
		return object{"$ref": "#/$defs/leaf", "maximum": int64(1)}
	case 4:
		return object{"type": "object", "properties": object{"a": object{"default": int64(1)}}}
	default:
		s, ok := g.schema(1).(object)
		if !ok {
			return object{"default": int64(1)}
		}
		g.giveDefault(s, root)
		return s
	}
}

// settled returns a document without the defaults that Build refuses.
func settled(document object) object {
	for range 10 {
		refused := false
		if !strings.Contains(string(text(document)), `"default"`) {
			break
		}
		_, problems := schema.Compile(text(document), schema.CompileOptions{})
		for _, p := range problems {
			at, ok := strings.CutSuffix(p.Field, "/default")
			if !ok {
				continue
			}
			if s, err := strictjson.Lookup(document, at); err == nil {
				delete(s.(object), "default")
				refused = true
			}
		}
		if !refused {
			break
		}
	}
	return document
}

func (g generator) schema(levels int) any {
	switch {
	case g.chance(4):
		return pick(g, true, false)
	case g.chance(12):
		return object{"$ref": pick(g, "#/$defs/leaf", "#/$defs/tree")}
	case levels > 0 && g.chance(22):
		return g.combined(levels - 1)
	}
	s := object{}
	types := []string{"string", "integer", "number", "boolean", "null"}
	if levels > 0 {
		types = append(types, "object", "object", "array", "array")
	}
	kind := pick(g, types...)
	switch {
	case g.chance(20):
		if other := pick(g, types...); other != kind {
			s["type"] = []any{kind, other}
		}
	case g.chance(85):
		s["type"] = kind
	}
	g.keywords(s, kind, levels)
	if g.chance(15) {
		s["description"] = pick(g, "one", "two")
	}
	return s
}

func (g generator) combined(levels int) any {
	branches := make([]any, 1+g.rand.IntN(3))
	for i := range branches {
		branches[i] = g.schema(levels)
	}
	s := object{}
	if g.chance(30) {
		s, _ = g.schema(0).(object)
		if s == nil {
			s = object{}
		}
	}
	switch g.rand.IntN(7) {
	case 0, 1:
		s["anyOf"] = branches
	case 2:
		s["oneOf"] = branches
	case 3:
		s["oneOf"] = []any{g.variant("x", levels), g.variant("y", levels)}
	case 4:
		s["allOf"] = branches
	case 5:
		s["not"] = branches[0]
	case 6:
		s["if"], s["then"], s["else"] = branches[0], g.schema(levels), g.schema(levels)
	}
	return s
}

// variant returns one of the branches that differ by a constant.
func (g generator) variant(tag string, levels int) any {
	return object{
		"type": "object", "required": []any{"a"},
		"properties": object{"a": object{"const": tag}, "b": g.schema(max(0, levels-1))},
	}
}

func (g generator) keywords(s object, kind string, levels int) {
	number := func() any { return pick[any](g, int64(0), int64(1), int64(2), int64(5), 1.5, int64(-1)) }
	switch kind {
	case "string":
		g.maybe(s, 30, "minLength", int64(g.rand.IntN(3)))
		g.maybe(s, 30, "maxLength", int64(1+g.rand.IntN(3)))
		g.maybe(s, 15, "pattern", pick(g, "^a", "b$", "^[a-c]*$"))
		g.maybe(s, 10, "format", pick(g, "date", "int8", "uint8", "email"))
		if g.chance(15) {
			s["format"] = "duration"
			g.maybe(s, 60, schema.MinimumKeyword, pick(g, "PT1S", "PT1M", "PT60S", "P1D"))
			g.maybe(s, 60, schema.MaximumKeyword, pick(g, "PT59S", "PT24H", "PT1M"))
		}
		g.maybe(s, 20, "enum", pick(g, []any{"a"}, []any{"a", "b"}, []any{"", "abc", "b"}))
		g.maybe(s, 10, "const", pick(g, "a", "x", "y"))
	case "integer", "number":
		g.maybe(s, 30, "minimum", number())
		g.maybe(s, 30, "maximum", number())
		g.maybe(s, 15, "exclusiveMinimum", number())
		g.maybe(s, 15, "exclusiveMaximum", number())
		g.maybe(s, 20, "multipleOf", pick[any](g, int64(1), int64(2), int64(3), 0.5, int64(4)))
		g.maybe(s, 15, "format", pick(g, "int8", "int16", "uint8", "uint16"))
		g.maybe(s, 15, "enum", pick(g, []any{int64(1)}, []any{int64(1), int64(2)}, []any{1.5, nil, int64(2)}))
	case "array":
		g.maybe(s, 70, "items", g.schema(levels-1))
		g.maybe(s, 20, "prefixItems", []any{g.schema(levels - 1), g.schema(0)}[:1+g.rand.IntN(2)])
		g.maybe(s, 25, "minItems", int64(g.rand.IntN(3)))
		g.maybe(s, 25, "maxItems", int64(g.rand.IntN(4)))
		g.maybe(s, 20, "uniqueItems", pick(g, true, false))
		g.maybe(s, 15, "contains", g.schema(0))
		g.maybe(s, 10, "minContains", int64(g.rand.IntN(3)))
		g.maybe(s, 10, "maxContains", int64(1+g.rand.IntN(2)))
	case "object":
		g.objectKeywords(s, levels)
	}
}

func (g generator) maybe(s object, percent int, keyword string, value any) {
	if g.chance(percent) {
		s[keyword] = value
	}
}

func (g generator) objectKeywords(s object, levels int) {
	properties := object{}
	for _, name := range memberNames {
		if g.chance(55) {
			properties[name] = g.schema(levels - 1)
		}
	}
	g.maybe(s, 85, "properties", properties)
	g.maybe(s, 50, "required", g.names())
	g.maybe(s, 60, "additionalProperties", pick(g, false, false, true, g.schema(0)))
	g.maybe(s, 12, "patternProperties", pick[any](g, object{"^a": g.schema(0)}, object{"b$": g.schema(0)}, object{"^a": g.schema(0),
		"b$": true}))
	g.maybe(s, 8, "propertyNames", pick[any](g, object{"maxLength": int64(1)}, object{"pattern": "^a"},
		object{"enum": []any{"a", "b"}}))
	g.maybe(s, 10, "minProperties", int64(g.rand.IntN(3)))
	g.maybe(s, 10, "maxProperties", int64(1+g.rand.IntN(3)))
	g.maybe(s, 8, "dependentRequired", object{"a": g.names()})
	g.maybe(s, 8, "dependentSchemas", object{"b": object{"required": g.names()}})
	g.maybe(s, 4, "unevaluatedProperties", false)
}

func (g generator) names() []any {
	names := []any{}
	for _, name := range memberNames {
		if g.chance(25) {
			names = append(names, name)
		}
	}
	return names
}

// spots returns the subschemas of a document that have keywords.
func spots(value any, found []object) []object {
	s, ok := value.(object)
	if !ok {
		return found
	}
	found = append(found, s)
	for _, keyword := range slices.Sorted(maps.Keys(s)) {
		switch keyword {
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
			found = spots(s[keyword], found)
		case "properties", "patternProperties", "$defs", "dependentSchemas":
			inner, _ := s[keyword].(object)
			for _, name := range slices.Sorted(maps.Keys(inner)) {
				found = spots(inner[name], found)
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			list, _ := s[keyword].([]any)
			for _, item := range list {
				found = spots(item, found)
			}
		}
	}
	return found
}

// change returns a copy of a document with a few changes. Many of them don't
// change which values it accepts, or only slightly.
func (g generator) change(document object) object {
	changed := clone(document).(object)
	for range 1 + g.rand.IntN(2) {
		g.changeAt(pick(g, spots(changed, nil)...), changed)
	}
	changed["type"] = "object"
	return settled(changed)
}

func (g generator) changeAt(s, root object) {
	isRoot := len(s) == len(root) && s["$defs"] != nil
	switch g.rand.IntN(22) {
	case 0, 1, 2: // more keywords
		kind, _ := s["type"].(string)
		if kind == "" {
			kind = pick(g, "string", "integer", "object", "array")
		}
		g.keywords(s, kind, 1)
	case 3, 4, 5: // fewer keywords
		keywords := slices.DeleteFunc(slices.Sorted(maps.Keys(s)), func(k string) bool { return k == "$defs" })
		if len(keywords) > 0 {
			delete(s, pick(g, keywords...))
		}
	case 6: // one more member
		properties, _ := s["properties"].(object)
		if properties == nil {
			properties = object{}
			s["properties"] = properties
		}
		properties[pick(g, memberNames...)] = g.schema(1)
	case 7: // one more type
		if kind, ok := s["type"].(string); ok {
			s["type"] = []any{kind, pick(g, "null", "string", "object")}
		}
	case 8: // a reference replaced by its target
		if ref, ok := s["$ref"].(string); ok && !isRoot {
			delete(s, "$ref")
			definition, _ := root["$defs"].(object)[ref[strings.LastIndexByte(ref, '/')+1:]].(object)
			maps.Copy(s, clone(definition).(object))
		}
	case 9, 10: // the same schema, or one more, as alternatives
		if isRoot {
			return
		}
		inner := maps.Clone(s)
		clear(s)
		s[pick(g, "anyOf", "anyOf", "oneOf", "allOf")] = slices.Clip([]any{inner, pick(g, any(object{"type": "null"}),
			g.schema(0))})[:1+g.rand.IntN(2)]
	case 11: // another order, or a branch more or less
		for _, keyword := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
			if list, ok := s[keyword].([]any); ok {
				list = slices.Clone(list)
				g.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				if g.chance(50) {
					list = append(list, g.schema(1))
				} else if len(list) > 1 && g.chance(50) {
					list = list[1:]
				}
				s[keyword] = list
			}
		}
	case 12: // the list of types as alternatives
		if list, ok := s["type"].([]any); ok {
			delete(s, "type")
			if _, ok := s["anyOf"]; !ok {
				branches := make([]any, len(list))
				for i, name := range list {
					branches[i] = object{"type": name}
				}
				s["anyOf"] = branches
			}
		}
	case 14: // another default, or none
		if _, has := s["default"]; has && g.chance(60) {
			delete(s, "default")
		} else {
			g.giveDefault(s, root)
		}
	case 15, 16, 19, 20, 21: // a member with a default, where there was none
		closed := slices.DeleteFunc(spots(root, nil), func(s object) bool { return s["additionalProperties"] != false })
		if len(closed) > 0 {
			s = pick(g, closed...)
		}
		properties, _ := s["properties"].(object)
		if properties == nil {
			properties = object{}
			s["properties"] = properties
		}
		name := pick(g, memberNames...)
		if _, has := properties[name]; !has || g.chance(20) {
			properties[name] = g.withDefault(root)
		}
	case 17: // a default that moves between a member and its schema's parts
		properties, _ := s["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			member, ok := properties[name].(object)
			if value, has := member["default"]; ok && has && g.chance(50) {
				inner := maps.Clone(member)
				delete(inner, "default")
				properties[name] = pick[any](g, object{"allOf": []any{member}}, object{"default": value, "allOf": []any{inner}},
					object{"default": value, "anyOf": []any{inner}}, object{"anyOf": []any{member}})
			}
		}
	case 18: // its annotations and its parts
		if !isRoot {
			inner := maps.Clone(s)
			clear(s)
			s["allOf"] = []any{inner, object{"description": "more"}}
			if g.chance(50) {
				s["description"] = "own"
			}
		}
	case 13: // a bound moved
		for _, keyword := range []string{schema.MinimumKeyword, schema.MaximumKeyword} {
			if s[keyword] != nil {
				s[keyword] = pick(g, "PT1S", "PT1M", "PT60S", "PT61S")
			}
		}
		for _, keyword := range []string{"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"} {
			if bound, ok := s[keyword].(int64); ok {
				s[keyword] = max(0, bound+int64(g.rand.IntN(3))-1)
			}
		}
	}
}

func clone(value any) any {
	switch value := value.(type) {
	case object:
		out := object{}
		for name, member := range value {
			out[name] = clone(member)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, item := range value {
			out[i] = clone(item)
		}
		return out
	default:
		return value
	}
}

// value returns a value that a schema of root nearly accepts.
func (g generator) value(schema any, root object, levels int) any {
	s, ok := schema.(object)
	if !ok || levels <= 0 || g.chance(6) {
		return g.anything(2)
	}
	if ref, ok := s["$ref"].(string); ok {
		return g.value(root["$defs"].(object)[ref[strings.LastIndexByte(ref, '/')+1:]], root, levels-1)
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[keyword].([]any); ok && len(list) > 0 && g.chance(80) {
			return g.value(pick(g, list...), root, levels-1)
		}
	}
	for _, keyword := range []string{"then", "else", "if"} {
		if inner, ok := s[keyword]; ok && g.chance(40) {
			return g.value(inner, root, levels-1)
		}
	}
	if value, ok := s["const"]; ok && g.chance(80) {
		return value
	}
	if list, ok := s["enum"].([]any); ok && g.chance(80) {
		return pick(g, list...)
	}
	kind, _ := s["type"].(string)
	if list, ok := s["type"].([]any); ok && len(list) > 0 {
		kind, _ = pick(g, list...).(string)
	}
	switch kind {
	case "null":
		return nil
	case "boolean":
		return g.chance(50)
	case "string":
		return g.text(s)
	case "integer", "number":
		return g.number(s)
	case "array":
		return g.list(s, root, levels)
	case "object":
		return g.members(s, root, levels)
	default:
		return g.anything(2)
	}
}

func (g generator) text(s object) any {
	switch s["format"] {
	case "int8", "uint8":
		return pick(g, "-1", "0", "127", "128", "255", "256")
	case "date":
		return pick(g, "2026-01-01", "a")
	case "duration":
		return pick(g, "PT0S", "PT1S", "PT59S", "PT60S", "P1D", "P2W", "P1M", "P99999999W", "a")
	}
	length := int64(g.rand.IntN(4))
	for _, keyword := range []string{"minLength", "maxLength"} {
		if bound, ok := s[keyword].(int64); ok && g.chance(60) {
			length = max(0, bound+int64(g.rand.IntN(3))-1)
		}
	}
	return strings.Repeat(pick(g, "a", "b", "x"), int(length))
}

func (g generator) number(s object) any {
	for _, keyword := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		bound, ok := s[keyword].(int64)
		if ok && g.chance(40) {
			return pick[any](g, bound, bound-1, bound+1, float64(bound)+0.5)
		}
	}
	return pick[any](g, int64(0), int64(1), int64(2), int64(3), int64(4), int64(5), int64(6), int64(12), 1.5, 0.5, int64(-1),
		int64(127), int64(128), int64(255), int64(256), int64(70000), 1e300)
}

func (g generator) list(s, root object, levels int) any {
	list := []any{}
	prefix, _ := s["prefixItems"].([]any)
	for i := range g.rand.IntN(4) {
		item := s["items"]
		if i < len(prefix) {
			item = prefix[i]
		} else if contained, ok := s["contains"]; ok && g.chance(40) {
			item = contained
		}
		list = append(list, g.value(item, root, levels-1))
	}
	return list
}

func (g generator) members(s, root object, levels int) any {
	out := object{}
	properties, _ := s["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if g.chance(55) {
			out[name] = g.value(properties[name], root, levels-1)
		}
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok && out[name] == nil {
			if s, ok := properties[name].(object); g.chance(10) || ok && s["default"] != nil && g.chance(60) {
				continue
			}
			out[name] = g.value(properties[name], root, levels-1)
		}
	}
	if g.chance(20) {
		out[pick(g, memberNames...)] = g.value(s["additionalProperties"], root, levels-1)
	}
	return out
}

func (g generator) anything(levels int) any {
	switch g.rand.IntN(9) {
	case 0:
		return nil
	case 1:
		return g.chance(50)
	case 2:
		return pick(g, "", "a", "b", "ab", "abc", "x", "y", strconv.Itoa(g.rand.IntN(300)))
	case 3, 4:
		return g.number(object{})
	case 5, 6:
		list := []any{}
		for range g.rand.IntN(3) * min(levels, 1) {
			list = append(list, g.anything(levels-1))
		}
		return list
	default:
		out := object{}
		for range g.rand.IntN(3) * min(levels, 1) {
			out[pick(g, memberNames...)] = g.anything(levels - 1)
		}
		return out
	}
}

func text(value any) []byte {
	data, err := strictjson.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}
