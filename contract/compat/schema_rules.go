package compat

import "github.com/toolcontract/toolcontract/contract/compat/internal/schemadiff"

// A schemaSide is the input or the output, as the first word of a rule's ID.
type schemaSide string

const (
	inputSide  schemaSide = "input"
	outputSide schemaSide = "output"
)

// rule returns the ID of the rule for a kind of difference.
func (s schemaSide) rule(kind schemadiff.Kind, effect schemadiff.Effect) string {
	switch effect {
	case schemadiff.Narrowed, schemadiff.Widened:
		return string(s) + "." + string(kind) + "." + effect.String()
	case schemadiff.Reworded:
		switch {
		case kind == schemadiff.Exposed:
			return "field.exposed"
		case kind == schemadiff.Protected:
			return "field.protected"
		case kind == schemadiff.Default && s == inputSide:
			return "input.default"
		}
		return string(s) + ".text"
	case schemadiff.Unknown, schemadiff.Undeclared:
	}
	return string(s) + ".unknown"
}

// schemaRules returns the rules of both sides: for every kind that can be
// narrowed and widened, and for the other kinds. The rules of protected fields
// are the same for both sides.
func schemaRules() []Rule {
	const (
		accepts = "Arguments that were accepted may be refused."
		still   = "Arguments that were accepted still are."
		returns = "A result may be one that the old schema refuses. If the old schema is closed, so is a result with a new member."
		fewer   = "Every result is one that the old schema accepts."
	)
	var rules []Rule
	for _, kind := range schemadiff.Kinds() {
		what := schemaKindTexts[kind]
		rules = append(rules,
			Rule{ID: inputSide.rule(kind, schemadiff.Narrowed), Class: Breaking, Summary: "The input accepts less: " + what + ".", Reason: accepts},
			Rule{ID: inputSide.rule(kind, schemadiff.Widened), Class: Additive, Summary: "The input accepts more: " + what + ".", Reason: still},
			Rule{ID: outputSide.rule(kind, schemadiff.Narrowed), Class: Additive, Summary: "The output allows less: " + what + ".", Reason: fewer},
			Rule{ID: outputSide.rule(kind, schemadiff.Widened), Class: Breaking, Summary: "The output allows more: " + what + ".", Reason: returns},
		)
	}
	return append(rules,
		Rule{ID: "input.default", Class: Breaking, Summary: "A default that is filled into the input changed, was added or was removed.",
			Reason: "A call without the member is another call now: the handler, the keys and the confirmations see another value."},
		Rule{ID: "input.text", Class: Patch, Summary: "An annotation of the input changed, or a default that nothing fills in.",
			Reason: "The input accepts the same, and the handler gets the same. Review it, because models act on it."},
		Rule{ID: "output.text", Class: Patch, Summary: "An annotation or a default of the output changed.", Reason: "The output allows the same. Defaults are not filled into it."},
		Rule{ID: "field.protected", Class: Patch, Summary: "A field of the input or the output is now sensitive, secret or marked for review.",
			Reason: "Callers send and get the same. The field is handled with more care."},
		Rule{ID: "field.exposed", Class: Additive, Downgrade: true, Summary: "A field of the input or the output is no longer sensitive, secret or marked for review.",
			Reason: "Every call still works. The value may now be in logs and errors, be shown, or be shortened in a question."},
		Rule{ID: "input.unknown", Class: Breaking, Unknown: true, Summary: "The input changed in an unknown way.", Reason: "It may accept less."},
		Rule{ID: "output.unknown", Class: Breaking, Unknown: true, Summary: "The output changed in an unknown way.", Reason: "It may allow more."},
	)
}

// schemaKindTexts has the keywords of each kind. It does not change.
var schemaKindTexts = map[schemadiff.Kind]string{
	schemadiff.Type:         "type",
	schemadiff.Values:       "enum, const",
	schemadiff.Range:        "minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf",
	schemadiff.Length:       "minLength, maxLength, minItems, maxItems, minProperties, maxProperties",
	schemadiff.Pattern:      "pattern",
	schemadiff.Format:       "format, contentEncoding, contentMediaType, contentSchema",
	schemadiff.Required:     "required, dependentRequired",
	schemadiff.Property:     "properties, patternProperties, propertyNames",
	schemadiff.Additional:   "additionalProperties",
	schemadiff.Items:        "items, prefixItems, contains, uniqueItems",
	schemadiff.Alternatives: "anyOf, oneOf",
	schemadiff.Condition:    "allOf, not, if, dependentSchemas",
}
