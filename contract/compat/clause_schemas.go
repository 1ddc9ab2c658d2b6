package compat

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/schema/diff"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func argumentKinds() []Kind {
	return []Kind{
		{ID: "lenient.added", Class: Additive,
			Summary: "Arguments may be sent in one more form.",
			Reason:  "Every call that was accepted means the same as before."},
		{ID: "lenient.removed", Class: Breaking,
			Summary: "Arguments may be sent in one form less.",
			Reason:  "Calls that send this form are refused."},
	}
}

func (d *recorder) schemas(old, now contract.Document) {
	const input, output = "/inputSchema", "/outputSchema"
	if d.present(input, old.InputSchema, now.InputSchema, "inputSchema.presence", "inputSchema.presence") {
		d.schema(inputSide, input, old.InputSchema, now.InputSchema)
	}
	if d.present(output, old.OutputSchema, now.OutputSchema, "outputSchema.added", "outputSchema.removed") {
		d.schema(outputSide, output, old.OutputSchema, now.OutputSchema)
	}
}

// present records whether a schema was added or removed, and reports whether
// both contracts have it.
func (d *recorder) present(pointer string, old, now json.RawMessage, added, removed string) bool {
	switch {
	case len(old) == 0 && len(now) > 0:
		d.add(added, pointer, nil, now)
	case len(old) > 0 && len(now) == 0:
		d.add(removed, pointer, old, nil)
	}
	return len(old) > 0 && len(now) > 0
}

func (d *recorder) schema(side schemaSide, pointer string, old, now json.RawMessage) {
	for _, f := range diff.Compare(old, now) {
		if side == outputSide && f.Kind == diff.Default && f.Effect == diff.Unknown {
			continue // defaults are not filled into results
		}
		more := ""
		if f.Effect == diff.Unknown {
			more = "Here: " + f.Reason + "."
		}
		d.addReason(side.rule(f.Kind, f.Effect), pointer+f.Pointer, treeJSON(f.From), treeJSON(f.To), more)
	}
}

// treeJSON writes a part of a schema in its canonical form.
func treeJSON(tree any) any {
	if tree == nil {
		return nil
	}
	data, err := strictjson.Marshal(tree)
	if err != nil {
		return nil
	}
	return json.RawMessage(data)
}

// A schemaSide is the input or the output, as the first word of a rule's ID.
type schemaSide string

const (
	inputSide  schemaSide = "input"
	outputSide schemaSide = "output"
)

// rule returns the ID of the rule for a kind of difference.
func (s schemaSide) rule(kind diff.Kind, effect diff.Effect) string {
	switch effect {
	case diff.Narrowed, diff.Widened:
		return string(s) + "." + string(kind) + "." + string(effect)
	case diff.Reworded:
		switch {
		case kind == diff.Exposed:
			return "field.exposed"
		case kind == diff.Protected:
			return "field.protected"
		case kind == diff.Default && s == inputSide:
			return "input.default"
		}
		return string(s) + ".text"
	case diff.Unknown:
	}
	return string(s) + ".unknown"
}

// schemaKinds returns the kinds of both sides: those for every difference that
// narrows or widens, and those for the others. The kinds of protected fields
// are the same for both sides.
func schemaKinds() []Kind {
	const (
		accepts = "Arguments that were accepted may be refused."
		still   = "Arguments that were accepted still are."
		returns = "A result may be one that the old schema refuses. If the old schema is closed, so is a result with a new member."
		fewer   = "Every result is one that the old schema accepts."
	)
	kinds := []Kind{
		{ID: "inputSchema.presence", Class: Breaking, Unknown: true,
			Summary: "Only one side has an input schema.",
			Reason:  "A contract without it does not declare its input."},
		{ID: "outputSchema.added", Class: Breaking,
			Summary: "The result has a schema now.",
			Reason:  "It is JSON, and was text or nothing."},
		{ID: "outputSchema.removed", Class: Breaking,
			Summary: "The result no longer has a schema.",
			Reason:  "Callers relied on its form."},
	}
	for _, kind := range diff.Kinds() {
		what := schemaKindTexts[kind]
		kinds = append(kinds,
			Kind{ID: inputSide.rule(kind, diff.Narrowed), Class: Breaking, Summary: "The input accepts less: " + what + ".",
				Reason: accepts},
			Kind{ID: inputSide.rule(kind, diff.Widened), Class: Additive, Summary: "The input accepts more: " + what + ".",
				Reason: still},
			Kind{ID: outputSide.rule(kind, diff.Narrowed), Class: Additive, Summary: "The output allows less: " + what + ".",
				Reason: fewer},
			Kind{ID: outputSide.rule(kind, diff.Widened), Class: Breaking, Summary: "The output allows more: " + what + ".",
				Reason: returns},
		)
	}
	return append(kinds,
		Kind{ID: "input.default", Class: Breaking,
			Summary: "A default that is filled into the input changed, was added or was removed.",
			Reason: "A call without the member means another value now, for the handler and for confirmations. Its key is the same, " +
				"because defaults do not count in it: a managed tool may replay the outcome of the old value."},
		Kind{ID: "input.text", Class: Patch, Summary: "An annotation of the input changed, or a default that nothing fills in.",
			Reason: "The input accepts the same, and the handler gets the same. Review it, because models act on it."},
		Kind{ID: "output.text", Class: Patch, Summary: "An annotation or a default of the output changed.",
			Reason: "The output allows the same. Defaults are not filled into it."},
		Kind{ID: "field.protected", Class: Patch,
			Summary: "A field of the input or the output is now sensitive, secret or marked for review.",
			Reason:  "Callers send and get the same. The field is handled with more care."},
		Kind{ID: "field.exposed", Class: Additive, Downgrade: true,
			Summary: "A field of the input or the output is no longer sensitive, secret or marked for review.",
			Reason:  "Every call still works. The value may now be in logs and errors, be shown, or be shortened in a question."},
		Kind{ID: "input.unknown", Class: Breaking, Unknown: true, Summary: "The input changed in an unknown way.",
			Reason: "It may accept less."},
		Kind{ID: "output.unknown", Class: Breaking, Unknown: true, Summary: "The output changed in an unknown way.",
			Reason: "It may allow more."},
	)
}

// schemaKindTexts has the keywords of each kind. It does not change.
var schemaKindTexts = map[diff.Kind]string{
	diff.Type:         "type",
	diff.Values:       "enum, const",
	diff.Range:        "minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, and the bounds of durations",
	diff.Length:       "minLength, maxLength, minItems, maxItems, minProperties, maxProperties",
	diff.Pattern:      "pattern",
	diff.Format:       "format, contentEncoding, contentMediaType, contentSchema",
	diff.Required:     "required, dependentRequired",
	diff.Property:     "properties, patternProperties, propertyNames",
	diff.Additional:   "additionalProperties",
	diff.Items:        "items, prefixItems, contains, uniqueItems",
	diff.Alternatives: "anyOf, oneOf",
	diff.Condition:    "allOf, not, if, dependentSchemas",
}
