package contracttest

import (
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/bound"
)

func judgeUndocumented(s *subject, _ []*subject, say func(clause, message string)) {
	for _, m := range s.input {
		if text, _ := m.keywords["description"].(string); strings.TrimSpace(text) == "" {
			say(m.path, "the field has no description")
		}
	}
}

func judgeUntypedInput(s *subject, _ []*subject, say func(clause, message string)) {
	sayUntyped(s.input, say)
	if !s.inputRoot.saysItsContent() {
		say(s.inputRoot.path, "the arguments may be any object")
	}
}

func judgeUntypedOutput(s *subject, _ []*subject, say func(clause, message string)) {
	sayUntyped(s.outputMembers, say)
}

func sayUntyped(members []member, say func(clause, message string)) {
	for _, m := range members {
		if !m.saysItsContent() {
			say(m.path, "the field may hold anything")
		}
	}
}

func judgeOutput(s *subject, _ []*subject, say func(clause, message string)) {
	if s.output == bound.Text {
		say("outputSchema", "the tool returns text alone")
	}
}

// saysItsContent reports whether a schema says what it takes: a type, one of some values, or what another schema says.
// An object without a word of its members, and an array without one of its items, do not.
func (m member) saysItsContent() bool {
	if m.has("enum", "const", "allOf", "anyOf", "oneOf", "if", "not", "contentMediaType") {
		return true
	}
	switch {
	case m.isA("object"):
		if rest, ok := m.keywords["additionalProperties"].(map[string]any); ok && len(rest) > 0 {
			return true
		}
		properties, named := m.keywords["properties"].(map[string]any)
		closed := m.keywords["additionalProperties"] == false || m.keywords["unevaluatedProperties"] == false
		return named && len(properties) > 0 || closed || m.has("patternProperties")
	case m.isA("array"):
		items, ok := m.keywords["items"].(map[string]any)
		return ok && len(items) > 0 || m.keywords["items"] == false || m.has("prefixItems", "contains")
	default:
		return m.has("type", "format", "pattern", "minimum", "maximum", "properties", "items")
	}
}

// isA reports whether the schema's type is or allows t.
func (m member) isA(t string) bool {
	if list, ok := m.keywords["type"].([]any); ok {
		for _, one := range list {
			if one == t {
				return true
			}
		}
	}
	return m.keywords["type"] == t
}

// isList reports whether the member takes more than one item.
func (m member) isList() bool {
	most, bounded := m.keywords["maxItems"].(float64)
	return m.isA("array") && !(bounded && most <= 1)
}
