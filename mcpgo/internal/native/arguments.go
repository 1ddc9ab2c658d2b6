package native

import (
	"encoding/json"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// notJSON replaces arguments that cannot be written as JSON. Without it, the
// call would run with no arguments, which is a different call.
const notJSON = "!"

// Arguments returns the arguments of a call as the client sent them. A program
// that calls in process may have set only the decoded form.
func Arguments(p mcp.CallToolParams) json.RawMessage {
	if len(p.RawArguments) > 0 || p.Arguments == nil {
		return p.RawArguments
	}
	raw, err := json.Marshal(p.Arguments)
	if err != nil {
		return json.RawMessage(notJSON)
	}
	return raw
}

// ProgressToken is the member of _meta for which mcp-go has a field.
const ProgressToken = "progressToken"

// Meta returns the _meta of a request as the client sent it. It may be the map
// of the request itself, so it must not be changed.
func Meta(m *mcp.Meta) map[string]any {
	if m == nil {
		return nil
	}
	if m.ProgressToken == nil && m.AdditionalFields != nil {
		return m.AdditionalFields
	}
	meta := make(map[string]any, len(m.AdditionalFields)+1)
	maps.Copy(meta, m.AdditionalFields)
	if m.ProgressToken != nil {
		meta[ProgressToken] = m.ProgressToken
	}
	return meta
}

// ExactArguments decodes arguments as encoding/json does, but keeps an integer
// that no float64 holds as an int.
func ExactArguments(arguments json.RawMessage) (any, error) {
	tree, err := strictjson.Parse(arguments, strictjson.Limits{})
	if err != nil {
		return nil, err
	}
	return withExactIntegers(tree), nil
}

func withExactIntegers(value any) any {
	switch v := value.(type) {
	case int64:
		if isFloat(v) {
			return float64(v)
		}
		return int(v)
	case []any:
		for i, item := range v {
			v[i] = withExactIntegers(item)
		}
	case map[string]any:
		for name, member := range v {
			v[name] = withExactIntegers(member)
		}
	}
	return value
}

// isFloat reports whether a float64 holds an integer exactly.
func isFloat(v int64) bool {
	const limit = 1 << 63
	f := float64(v)
	return f < limit && int64(f) == v
}
