package contracttest

import (
	"strings"

	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// schemaRules are about the schemas, and about the size of the whole tool.
var schemaRules = []Demand{
	{
		ID: "input.undocumented", Severity: Warning, Clause: "inputSchema",
		Summary: "Every input field has a description.",
		Remedy:  "add the tag jsonschema_description, or a description in the schema",
		judge:   judgeUndocumented,
	},
	{
		ID: "input.untyped", Severity: Warning, Clause: "inputSchema",
		Summary: "Every input field has a type.",
		Remedy:  "give the field a type, and an object its members",
		judge:   judgeUntypedInput,
	},
	{
		ID: "input.open", Severity: Warning, Clause: "inputSchema",
		Summary: "An input object with named members accepts no others.",
		Remedy:  "add additionalProperties: false, or the schema of its other members",
		judge:   judgeOpenInput,
	},
	{
		ID: "patterns.unchecked", Severity: Warning,
		Summary: "Every pattern of the schemas is checked.",
		Remedy:  "write the pattern in RE2, or check it in the handler",
		judge:   judgePatterns,
	},
	{
		ID: "keywords.unknown", Severity: Warning,
		Summary: "Every keyword of the schemas is one of JSON Schema.",
		Remedy:  "correct it, or begin its name with x-",
		judge:   judgeKeywords,
	},
	{
		ID: "output.untyped", Severity: Info, Clause: "outputSchema",
		Summary: "A result has a schema.",
		Remedy:  "return a struct instead of text, or declare an output schema",
		judge:   judgeOutput,
	},
	{
		ID: "output.unchecked", Severity: Info, Clause: "outputSchema",
		Summary: "A tool that returns JSON, such as a wrapped one, has an output schema.",
		Remedy: "call OutputSchema for those that return structured content, in Declare of their wrap.Rule if WrapAll " +
			"wraps them; one " +
			"that returns only texts needs none",
		judgeAll: judgeUnchecked,
	},
	{
		ID: "output.blob", Severity: Warning, Clause: "outputSchema",
		Summary: "Every output field has a type.",
		Remedy:  "give the field a type, and an object its members",
		judge:   judgeUntypedOutput,
	},
	{
		ID: "cost.tokens", Severity: Warning,
		Summary: "A tool costs a model at most 2000 tokens in tools/list, by an estimate.",
		Remedy:  "shorten its texts and its schemas, or split the tool",
		judge:   judgeCost,
	},
}

func judgeUndocumented(s *subject, report reportFunc) {
	for _, m := range s.input {
		if n := m.withKeyword("description"); n == nil || strings.TrimSpace(n.Text("description")) == "" {
			report(m.path, "the field has no description")
		}
	}
}

func judgePatterns(s *subject, report reportFunc) {
	for clause, document := range s.schemas() {
		for _, n := range document.All {
			if n.Has(schema.UncheckedKeyword) {
				report(clause+n.Pointer(), "nothing checks the pattern")
			}
		}
	}
}

func judgeKeywords(s *subject, report reportFunc) {
	for clause, document := range s.schemas() {
		for _, p := range schema.UnknownKeywords(document) {
			report(clause+p.Field, "the keyword "+p.Message+", and nothing checks it")
		}
	}
}

func judgeUntypedInput(s *subject, report reportFunc) {
	reportUntyped(s.input, report)
	if !s.inputRoot.isTyped() {
		report(s.inputRoot.path, "the arguments may be any object")
	}
}

func judgeUntypedOutput(s *subject, report reportFunc) {
	reportUntyped(s.outputMembers, report)
}

func reportUntyped(members []member, report reportFunc) {
	for _, m := range members {
		if !m.isTyped() {
			report(m.path, "the field may have any value")
		}
	}
}

func judgeOutput(s *subject, report reportFunc) {
	if s.output == bound.Text {
		report("outputSchema", "the tool returns only text")
	}
}

// judgeUnchecked reports all tools at once, because a server that wraps its
// tools often has no schema for any of them.
func judgeUnchecked(set []*subject) string {
	return messageAbout(set, func(s *subject) bool { return s.output == bound.Untyped }, "tool", "has no output schema")
}

// isTyped reports whether a schema bounds its values with a type, a list of
// values, or other schemas. An object must also bound its members, and an array
// its items.
func (m member) isTyped() bool {
	if m.has("enum", "const", "allOf", "anyOf", "oneOf", "if", "not", "contentMediaType") {
		return true
	}
	switch {
	case m.isA(tree.ObjectType):
		named := m.withKeyword("properties")
		return m.child("additionalProperties").Bounds() || m.child("unevaluatedProperties").IsFalse() ||
			named != nil && len(named.Below("properties")) > 0 || m.has("patternProperties")
	case m.isA(tree.ArrayType):
		return m.child("items").Bounds() || m.has("prefixItems", "contains")
	default:
		return m.has("type", "format", "pattern", "minimum", "maximum", "properties", "items")
	}
}

// isA reports whether the schema's type is t or a list that includes t.
func (m member) isA(t tree.Types) bool {
	n := m.withKeyword("type")
	if n == nil {
		return false
	}
	types, _ := n.Types()
	return types&t != 0
}

// isList reports whether the member accepts more than one item.
func (m member) isList() bool {
	if n := m.withKeyword("maxItems"); n != nil {
		if most, ok := n.Size("maxItems"); ok && most <= 1 {
			return false
		}
	}
	return m.isA(tree.ArrayType)
}
