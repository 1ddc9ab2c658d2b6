package mcpgo

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// exactArguments returns arguments as encoding/json does, except for integers
// that no float64 holds.
func exactArguments(arguments json.RawMessage) (any, error) {
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

// isFloat reports whether an integer has the same value after it was a float64.
func isFloat(v int64) bool {
	const limit = 1 << 63
	f := float64(v)
	return f < limit && int64(f) == v
}
