package schema

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// isWellFormed reports whether a document is certain to satisfy the draft
// 2020-12 metaschema and, if [lint] finds nothing, to compile. It knows the
// keywords in [keywordForms]. A document with any other keyword is left to the
// validator, which also describes what is wrong with a keyword.
//
// The metaschema takes most of the time of [Compile], and a compiled validator
// most of the memory, so almost every schema is better off without them.
func isWellFormed(document *tree.Document) bool {
	for _, n := range document.All {
		for keyword, value := range n.Keywords() {
			if form := keywordForms[keyword]; form != nil {
				if !form(value) {
					return false
				}
			} else if !strings.HasPrefix(keyword, "x-") {
				return false
			}
		}
	}
	return document.Root.Form() == tree.Object
}

// keywordForms maps a keyword to the check of its value's form. It leaves out
// $id and $anchor, because they change what references mean, and keywords that
// are too rare.
var keywordForms = map[string]func(any) bool{
	"$schema":  func(v any) bool { return v == "https://json-schema.org/draft/2020-12/schema" },
	"$ref":     isLocalRef,
	"$comment": is[string], "title": is[string], "description": is[string], "format": is[string], "pattern": is[string],
	"default": isAny, "const": isAny, "enum": is[[]any], "examples": is[[]any],
	"deprecated": is[bool], "readOnly": is[bool], "writeOnly": is[bool], "uniqueItems": is[bool],
	"type":    isTypes,
	"minimum": isNumber, "maximum": isNumber, "exclusiveMinimum": isNumber, "exclusiveMaximum": isNumber, "multipleOf": isPositive,
	"minLength": isSize, "maxLength": isSize, "minItems": isSize, "maxItems": isSize, "minProperties": isSize,
	"maxProperties": isSize,
	"minContains":   isSize, "maxContains": isSize,
	"required":          func(v any) bool { _, ok := distinctTexts(v); return ok },
	"dependentRequired": isTextsByName,
	"items":             isSchema, "additionalProperties": isSchema, "not": isSchema, "contains": isSchema,
	"propertyNames": isSchema,
	"if":            isSchema, "then": isSchema, "else": isSchema, "unevaluatedItems": isSchema, "unevaluatedProperties": isSchema,
	"allOf": isSchemas, "anyOf": isSchemas, "oneOf": isSchemas, "prefixItems": isSchemas,
	"properties": isSchemasByName, "patternProperties": isSchemasByName, "dependentSchemas": isSchemasByName,
	"$defs": isSchemasByName, "definitions": isSchemasByName,
}

func isAny(any) bool { return true }

// is reports whether a value of JSON has a Go type.
func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// isLocalRef reports whether a reference leads into the document by a pointer
// that needs no decoding.
func isLocalRef(v any) bool {
	ref, _ := v.(string)
	return ref == "#" || strings.HasPrefix(ref, "#/") && strings.Trim(ref[2:], plainInPointers) == ""
}

const plainInPointers = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/$._-"

func isNumber(v any) bool {
	switch v.(type) {
	case int64, uint64, float64:
		return true
	}
	return false
}

func isPositive(v any) bool {
	switch v := v.(type) {
	case int64:
		return v > 0
	case uint64:
		return v > 0
	case float64:
		return v > 0
	}
	return false
}

func isSize(v any) bool {
	n, ok := v.(int64)
	return ok && 0 <= n && n <= math.MaxInt32
}

// distinctTexts returns the items of a list of distinct texts.
func distinctTexts(v any) (texts []string, ok bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	texts = make([]string, len(list))
	for i, item := range list {
		if texts[i], ok = item.(string); !ok {
			return nil, false
		}
	}
	sorted := slices.Clone(texts)
	slices.Sort(sorted)
	return texts, len(texts) == len(slices.Compact(sorted))
}

func isTypes(v any) bool {
	_, isText := v.(string)
	_, isDistinct := distinctTexts(v)
	_, areKnown := tree.TypesIn(v)
	return areKnown && (isText || isDistinct)
}

func isTextsByName(v any) bool {
	members, ok := v.(map[string]any)
	return ok && allOf(members, func(list any) bool { _, ok := distinctTexts(list); return ok })
}

func isSchema(v any) bool {
	switch v.(type) {
	case map[string]any, bool:
		return true
	}
	return false
}

func isSchemas(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) > 0 && !slices.ContainsFunc(list, func(item any) bool { return !isSchema(item) })
}

func isSchemasByName(v any) bool {
	members, ok := v.(map[string]any)
	return ok && allOf(members, isSchema)
}

func allOf(members map[string]any, hold func(any) bool) bool {
	for value := range maps.Values(members) {
		if !hold(value) {
			return false
		}
	}
	return true
}
