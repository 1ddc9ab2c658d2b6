package adapter

import (
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/adapter/wrap"
)

// An Agreement answers a handler's own confirmation in place of the person who
// approved the call; see [wrap.WithAnsweredConfirmation]. A nil Agreement
// answers nothing.
type Agreement struct{ fields []string }

// Content returns the content that accepts a handler's request. params are
// those of its elicitation/create, as an SDK writes them. Content returns false
// if the request asks for more than agreement; the request then goes to the
// client.
func (a *Agreement) Content(params any) (map[string]any, bool) {
	if a == nil {
		return nil, false
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, false
	}
	return a.content(raw)
}

func (a *Agreement) content(params json.RawMessage) (map[string]any, bool) {
	var p struct {
		Mode            string         `json:"mode"`
		URL             string         `json:"url"`
		RequestedSchema map[string]any `json:"requestedSchema"`
	}
	if json.Unmarshal(params, &p) != nil || p.Mode != "" && p.Mode != modeForm || p.URL != "" {
		return nil, false
	}
	properties, _ := p.RequestedSchema["properties"].(map[string]any)
	content := make(map[string]any, len(properties))
	for name, field := range properties {
		f, _ := field.(map[string]any)
		if f["type"] != "boolean" || !slices.Contains(a.fields, name) {
			return nil, false
		}
		content[name] = true
	}
	for keyword, value := range p.RequestedSchema {
		ok := true
		switch keyword {
		case "type", "title", "description", "$schema", "additionalProperties":
		case "properties":
			_, ok = value.(map[string]any)
		case "required":
			ok = isPart(value, content)
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return content, true
}

// isPart reports whether value is a list that names only members of fields.
func isPart(value any, fields map[string]any) bool {
	names, ok := value.([]any)
	return ok && !slices.ContainsFunc(names, func(name any) bool {
		text, _ := name.(string)
		return fields[text] == nil
	})
}

// answers accepts the requests of a handler, a JSON object of requests by key.
// It returns nil unless each of them is only a confirmation.
func (a *Agreement) answers(raw json.RawMessage) map[string]json.RawMessage {
	var requests map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(raw, &requests) != nil || len(requests) == 0 {
		return nil
	}
	answers := make(map[string]json.RawMessage, len(requests))
	for key, r := range requests {
		content, ok := a.content(r.Params)
		if r.Method != methodElicit || !ok {
			return nil
		}
		answer, err := json.Marshal(map[string]any{"action": "accept", "content": content})
		if err != nil {
			return nil
		}
		answers[key] = answer
	}
	return answers
}

func answersConfirmation(opts []wrap.Option) bool {
	var s wrap.Settings
	for _, opt := range opts {
		if opt != nil { // otherwise a mistake of [WrapConfigOf]
			opt(&s)
		}
	}
	return s.AnsweredConfirmation
}
