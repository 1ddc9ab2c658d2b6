package observe

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Parse parses JSON the way a call's arguments are parsed, but without limits
// on size. Objects become map[string]any, lists []any. An integer becomes an
// int64, or a uint64 if only that holds it; any other number becomes a float64.
// Duplicate names and invalid UTF-8 are errors.
func Parse(raw json.RawMessage) (any, error) {
	return strictjson.Parse(raw, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(raw))})
}

// Marshal encodes a value the way a tool's output is encoded. The members of
// maps are sorted, and the digits of integers are exact.
func Marshal(value any) (json.RawMessage, error) { return strictjson.MarshalValue(value) }
