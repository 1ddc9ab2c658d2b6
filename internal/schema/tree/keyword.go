package tree

import (
	"maps"
	"slices"
	"strings"
)

// A holding is the way a keyword holds subschemas (JSON Schema core, section
// 10).
type holding uint8

const (
	holdsNone holding = iota
	holdsOne
	holdsList
	holdsMap
)

// A keyword is an entry in the list of keywords.
type keyword struct {
	holds      holding
	inPlace    bool // applies its subschemas to the value itself
	annotation bool // demands nothing of the value
}

// keywords lists the keywords of draft 2020-12.
var keywords = map[string]keyword{
	"$ref":  {inPlace: true},
	"allOf": {holds: holdsList, inPlace: true}, "anyOf": {holds: holdsList, inPlace: true}, "oneOf": {holds: holdsList,
		inPlace: true},
	"not": {holds: holdsOne, inPlace: true}, "if": {holds: holdsOne, inPlace: true},
	"then": {holds: holdsOne, inPlace: true}, "else": {holds: holdsOne, inPlace: true},
	"dependentSchemas": {holds: holdsMap, inPlace: true},

	"properties": {holds: holdsMap}, "patternProperties": {holds: holdsMap}, "additionalProperties": {holds: holdsOne},
	"unevaluatedProperties": {holds: holdsOne}, "propertyNames": {holds: holdsOne},
	"prefixItems": {holds: holdsList}, "items": {holds: holdsOne}, "contains": {holds: holdsOne},
	"unevaluatedItems": {holds: holdsOne}, "contentSchema": {holds: holdsOne},
	"$defs": {holds: holdsMap, annotation: true}, "definitions": {holds: holdsMap, annotation: true},

	"type": {}, "enum": {}, "const": {},
	"multipleOf": {}, "minimum": {}, "maximum": {}, "exclusiveMinimum": {}, "exclusiveMaximum": {},
	"minLength": {}, "maxLength": {}, "pattern": {}, "format": {},
	"minItems": {}, "maxItems": {}, "uniqueItems": {}, "minContains": {}, "maxContains": {},
	"minProperties": {}, "maxProperties": {}, "required": {}, "dependentRequired": {},
	"contentEncoding": {}, "contentMediaType": {},

	"$schema": {annotation: true}, "$id": {annotation: true}, "$anchor": {annotation: true}, "$comment": {annotation: true},
	"title": {annotation: true}, "description": {annotation: true}, "default": {annotation: true}, "examples": {annotation: true},
	"deprecated": {annotation: true}, "readOnly": {annotation: true}, "writeOnly": {annotation: true},
}

// IsKeyword reports whether draft 2020-12 defines a keyword.
func IsKeyword(name string) bool {
	_, known := keywords[name]
	return known
}

// Keywords returns the keywords of draft 2020-12, sorted.
func Keywords() []string { return slices.Sorted(maps.Keys(keywords)) }

// AppliesInPlace reports whether a keyword applies its subschemas to the value
// itself rather than to a member or item.
func AppliesInPlace(name string) bool { return keywords[name].inPlace }

// defines reports whether a keyword only defines its subschemas, which apply
// where a $ref leads to them.
func defines(name string) bool { return name == "$defs" || name == "definitions" }

// Annotates reports whether a keyword demands nothing of a value: an annotation
// of draft 2020-12, or a keyword that begins with x-. This project's own
// keywords, x-toolcontract-…, do demand something.
func Annotates(name string) bool {
	return keywords[name].annotation || strings.HasPrefix(name, "x-") && !strings.HasPrefix(name, "x-toolcontract-")
}

// Holds reports whether a keyword holds subschemas.
func Holds(name string) bool { return keywords[name].holds != holdsNone }

// HoldsByName reports whether the value of a keyword is an object of subschemas
// by name.
func HoldsByName(name string) bool { return keywords[name].holds == holdsMap }

// holdsOneSchema reports whether the value of a keyword is a subschema.
func holdsOneSchema(name string) bool { return keywords[name].holds == holdsOne }

// holdsSchemas reports whether the value of a keyword is a list of subschemas.
func holdsSchemas(name string) bool { return keywords[name].holds == holdsList }
