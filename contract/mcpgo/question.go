package mcpgo

import "github.com/toolcontract/toolcontract/contract/guard"

// formSchema returns the form of a question: one boolean or one text without a
// default, because a person must not approve a call by accident.
func formSchema(q guard.Question) map[string]any {
	name, property := guard.ConfirmKey, map[string]any{"type": "boolean", "title": "Confirm", "description": q.Label}
	if q.Word != "" {
		name, property = guard.TypedKey, map[string]any{"type": "string", "title": "Type to confirm", "description": q.Label}
	}
	return map[string]any{"type": "object", "properties": map[string]any{name: property}, "required": []string{name}}
}
