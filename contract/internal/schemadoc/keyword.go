package schemadoc

import (
	"maps"
	"slices"
	"strconv"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// A holding is how a keyword holds subschemas (JSON Schema core, section 10).
type holding int

const (
	holdsNone holding = iota
	holdsOne
	holdsList
	holdsMap
)

// holdings lists the keywords of draft 2020-12.
var holdings = map[string]holding{
	"not": holdsOne, "if": holdsOne, "then": holdsOne, "else": holdsOne,
	"additionalProperties": holdsOne, "propertyNames": holdsOne, "unevaluatedProperties": holdsOne,
	"items": holdsOne, "contains": holdsOne, "unevaluatedItems": holdsOne, "contentSchema": holdsOne,
	"allOf": holdsList, "anyOf": holdsList, "oneOf": holdsList, "prefixItems": holdsList,
	"properties": holdsMap, "patternProperties": holdsMap, "dependentSchemas": holdsMap,
	"$defs": holdsMap, "definitions": holdsMap,

	"$schema": holdsNone, "$id": holdsNone, "$ref": holdsNone, "$anchor": holdsNone, "$comment": holdsNone,
	"type": holdsNone, "enum": holdsNone, "const": holdsNone,
	"multipleOf": holdsNone, "minimum": holdsNone, "maximum": holdsNone, "exclusiveMinimum": holdsNone, "exclusiveMaximum": holdsNone,
	"minLength": holdsNone, "maxLength": holdsNone, "pattern": holdsNone, "format": holdsNone,
	"minItems": holdsNone, "maxItems": holdsNone, "uniqueItems": holdsNone, "minContains": holdsNone, "maxContains": holdsNone,
	"minProperties": holdsNone, "maxProperties": holdsNone, "required": holdsNone, "dependentRequired": holdsNone,
	"contentEncoding": holdsNone, "contentMediaType": holdsNone,
	"title": holdsNone, "description": holdsNone, "default": holdsNone, "deprecated": holdsNone,
	"readOnly": holdsNone, "writeOnly": holdsNone, "examples": holdsNone,
}

// IsKeyword reports whether draft 2020-12 defines a keyword.
func IsKeyword(name string) bool {
	_, known := holdings[name]
	return known
}

// Keywords returns the keywords of draft 2020-12, sorted.
func Keywords() []string { return slices.Sorted(maps.Keys(holdings)) }

// InPlace reports whether a keyword applies its subschemas to the value itself,
// and not to a member or an item of it.
func InPlace(keyword string) bool {
	switch keyword {
	case "$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas":
		return true
	}
	return false
}

// Defines reports whether a keyword only defines its subschemas. They apply
// where a $ref leads to them.
func Defines(keyword string) bool { return keyword == "$defs" || keyword == "definitions" }

// A Step leads from a schema to a direct subschema.
type Step struct {
	Keyword string // such as "properties"
	Name    string // the property, the pattern or the index; "" if the keyword holds one subschema
}

// From returns the JSON Pointer of the subschema, given that of the schema.
func (s Step) From(pointer string) string {
	if holdings[s.Keyword] == holdsOne {
		return jsonptr.Append(pointer, s.Keyword)
	}
	return jsonptr.Append(pointer, s.Keyword, s.Name)
}

// Each calls do for each direct subschema of a schema, sorted by keyword and
// then by name or index. It does not follow a $ref. A schema that is not an
// object has no subschemas.
func Each(schema any, do func(step Step, subschema any)) {
	keywords, _ := schema.(map[string]any)
	var room [8]string
	holding := room[:0]
	for keyword := range keywords {
		if holdings[keyword] != holdsNone {
			holding = append(holding, keyword)
		}
	}
	slices.Sort(holding)
	for _, keyword := range holding {
		value := keywords[keyword]
		switch holdings[keyword] {
		case holdsOne:
			do(Step{Keyword: keyword}, value)
		case holdsList:
			list, _ := value.([]any)
			for i, item := range list {
				do(Step{keyword, strconv.Itoa(i)}, item)
			}
		case holdsMap:
			members, _ := value.(map[string]any)
			names := slices.AppendSeq(make([]string, 0, len(members)), maps.Keys(members))
			slices.Sort(names)
			for _, name := range names {
				do(Step{keyword, name}, members[name])
			}
		case holdsNone:
		}
	}
}

// Map returns a copy of a schema in which the results of replace stand for its
// direct subschemas.
func Map(schema any, replace func(subschema any) any) any {
	keywords, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	out := maps.Clone(keywords)
	for keyword, value := range keywords {
		switch holdings[keyword] {
		case holdsOne:
			out[keyword] = replace(value)
		case holdsList:
			if list, ok := value.([]any); ok {
				replaced := make([]any, len(list))
				for i, item := range list {
					replaced[i] = replace(item)
				}
				out[keyword] = replaced
			}
		case holdsMap:
			if members, ok := value.(map[string]any); ok {
				replaced := make(map[string]any, len(members))
				for name, member := range members {
					replaced[name] = replace(member)
				}
				out[keyword] = replaced
			}
		case holdsNone:
		}
	}
	return out
}

// HoldsOne reports whether the value of a keyword is a subschema.
func HoldsOne(keyword string) bool { return holdings[keyword] == holdsOne }

// HoldsList reports whether the value of a keyword is a list of subschemas.
func HoldsList(keyword string) bool { return holdings[keyword] == holdsList }

// HoldsMap reports whether the value of a keyword is an object of subschemas.
func HoldsMap(keyword string) bool { return holdings[keyword] == holdsMap }
