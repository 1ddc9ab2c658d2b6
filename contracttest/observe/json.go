package observe

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Parse parses JSON as the arguments of a call are parsed, without their limits
// of size. Objects become map[string]any, lists []any. An integer becomes an
// int64, or a uint64 if only that holds it, and any other number a float64.
// Names that occur twice and invalid UTF-8 are errors.
func Parse(raw json.RawMessage) (any, error) {
	return strictjson.Parse(raw, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(raw))})
}

// Marshal encodes a value as the output of a tool is encoded. The members of
// maps are sorted, and the digits of integers are exact.
func Marshal(value any) (json.RawMessage, error) { return strictjson.MarshalValue(value) }
