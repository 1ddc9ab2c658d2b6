package describe

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/agent"
)

// Value reads what a person typed for a field. If the field can only be a
// string, the text is that string; otherwise it is read as JSON. Text that fits
// neither becomes a string, which validation then reports.
func Value(f agent.Field, typed string) json.RawMessage { return value(f.Kinds, f.Items, typed) }

func value(kinds, items []string, typed string) json.RawMessage {
	raw := json.RawMessage(strings.TrimSpace(typed))
	kind := kindOf(raw)
	fits := slices.Contains(kinds, kind) || kind == "integer" && slices.Contains(kinds, "number")
	switch {
	case kind != "" && kind != "string" && fits:
		return raw
	case slices.Contains(kinds, "string"):
	case slices.Contains(kinds, "array") && kind != "array":
		return slices.Concat(json.RawMessage("["), value(items, nil, typed), json.RawMessage("]"))
	case kind != "":
		return raw
	}
	text, _ := json.Marshal(typed) //nolint:errchkjson // a string is always JSON
	return text
}

// kindOf returns the type of a JSON value, or "" if the text isn't JSON. An
// integer is also a number.
func kindOf(value json.RawMessage) string {
	var v any
	if len(value) == 0 || json.Unmarshal(value, &v) != nil {
		return ""
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
	}
	return "number"
}
