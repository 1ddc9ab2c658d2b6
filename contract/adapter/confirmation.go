package adapter

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract/adapter/wrap"
)

// IsConfirmation reports whether the params of elicitation/create, as an SDK
// writes them, ask only for an agreement: a form without fields.
func IsConfirmation(params any) bool {
	raw, err := json.Marshal(params)
	return err == nil && isConfirmation(raw)
}

func isConfirmation(params json.RawMessage) bool {
	var p struct {
		Mode            string         `json:"mode"`
		URL             string         `json:"url"`
		RequestedSchema map[string]any `json:"requestedSchema"`
	}
	if json.Unmarshal(params, &p) != nil || p.Mode != "" && p.Mode != modeForm || p.URL != "" {
		return false
	}
	for keyword, value := range p.RequestedSchema {
		switch keyword {
		case "type", "title", "description", "$schema", "additionalProperties":
		case "properties":
			if fields, ok := value.(map[string]any); !ok || len(fields) > 0 {
				return false
			}
		case "required":
			if fields, ok := value.([]any); !ok || len(fields) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// accepted is the answer to a form without fields.
var accepted = json.RawMessage(`{"action":"accept","content":{}}`)

// acceptAll answers the requests of a handler, a JSON object of requests by
// key. It returns nil unless each of them is only a confirmation.
func acceptAll(raw json.RawMessage) map[string]json.RawMessage {
	var requests map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(raw, &requests) != nil || len(requests) == 0 {
		return nil
	}
	answers := make(map[string]json.RawMessage, len(requests))
	for key, r := range requests {
		if r.Method != methodElicit || !isConfirmation(r.Params) {
			return nil
		}
		answers[key] = accepted
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
