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
		returns = "A result may be one that the old schema refuses; a new member is one where the old schema is closed."
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
		Rule{ID: "input.default", Class: Breaking, Summary: "A default that is filled into the input changed, came or went.",
			Reason: "A call that leaves the member out is another call now: the handler sees another value, and so do keys and confirmations."},
		Rule{ID: "input.text", Class: Patch, Summary: "An annotation of the input changed, or a default that nothing fills in.",
			Reason: "It accepts the same, and the handler gets the same; review it all the same, for models act on it."},
		Rule{ID: "output.text", Class: Patch, Summary: "An annotation of the output changed, or a default, which nothing fills in.", Reason: "It allows the same."},
		Rule{ID: "field.protected", Class: Patch, Summary: "A field of the input or the output is sensitive, secret or for review now.",
			Reason: "Callers give and get the same; more care is taken of it."},
		Rule{ID: "field.exposed", Class: Additive, Downgrade: true, Summary: "A field of the input or the output is not sensitive, secret or for review any more.",
			Reason: "Every call still works; its value may stand in logs and errors, be shown, or be cut in a question, as it could not before."},
		Rule{ID: "input.unknown", Class: Breaking, Unknown: true, Summary: "The input changed in a way that cannot be told.", Reason: "It may accept less."},
		Rule{ID: "output.unknown", Class: Breaking, Unknown: true, Summary: "The output changed in a way that cannot be told.", Reason: "It may allow more."},
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
