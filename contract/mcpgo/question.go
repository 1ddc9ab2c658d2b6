package mcpgo

import "github.com/toolcontract/toolcontract/contract/guard"

// formSchema returns the form of a question: one boolean without a default,
// because a person must not approve a call by accident.
func formSchema(q guard.Question) map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			guard.ConfirmKey: map[string]any{"type": "boolean", "title": "Confirm", "description": q.Label},
		},
		"required": []string{guard.ConfirmKey},
	}
}
