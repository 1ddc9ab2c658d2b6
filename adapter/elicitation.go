package adapter

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/guard/people"
)

// The modes of an elicitation.
const (
	modeForm = "form"
	modeURL  = "url"
)

// An Elicitation holds the params of elicitation/create for one question.
type Elicitation struct {
	// Mode is "form" or "url".
	Mode string `json:"mode"`
	// Message is the question.
	Message string `json:"message"`
	// RequestedSchema is the form, if Mode is "form".
	RequestedSchema map[string]any `json:"requestedSchema,omitempty"`
	// ElicitationID and URL are set if Mode is "url".
	ElicitationID string `json:"elicitationId,omitempty"`
	URL           string `json:"url,omitempty"`
	// Word is the word that a person must type into the form. Empty: none. It
	// is not sent separately, because Message and the form contain it.
	Word string `json:"-"`
}

// elicitationOf returns a question as an elicitation.
func elicitationOf(q people.Question) Elicitation {
	if q.URL != "" {
		return Elicitation{Mode: modeURL, Message: q.Message, URL: q.URL, ElicitationID: q.ID}
	}
	return Elicitation{Mode: modeForm, Message: q.Message, RequestedSchema: formSchema(q), Word: q.Word}
}

// formSchema returns a question's form: one boolean or one text. It has no
// default, so that nobody approves a call by accident.
func formSchema(q people.Question) map[string]any {
	name, property := people.ConfirmKey, map[string]any{"type": "boolean", "title": "Confirm", "description": q.Label}
	if q.Word != "" {
		name, property = people.TypedKey, map[string]any{"type": "string", "title": "Type to confirm", "description": q.Label}
	}
	return map[string]any{"type": "object", "properties": map[string]any{name: property}, "required": []string{name}}
}

// inputRequests returns a question as a JSON object of requests by key.
func inputRequests(q people.Question) (json.RawMessage, error) {
	type request struct {
		Method string      `json:"method"`
		Params Elicitation `json:"params"`
	}
	return json.Marshal(map[string]request{q.Key: {methodElicit, elicitationOf(q)}})
}
