package declare

import (
	"errors"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

var (
	errPanic    = errors.New("contract: a method of the tool author's type panicked")
	errNoObject = errors.New("contract: not a JSON object")
)

// PlainMetadata returns values as plain data, whatever their types, by writing
// them as JSON and reading them back. It returns an error for values with no
// JSON form or more than one, and if a marshaler panics.
func PlainMetadata(values map[string]any) (plain map[string]any, err error) {
	defer func() {
		if recover() != nil {
			plain, err = nil, errPanic
		}
	}()
	data, err := strictjson.MarshalValue(values)
	if err != nil {
		return nil, err
	}
	return ParseMetadata(data)
}

// ParseMetadata reads a JSON object. Integers are exact, as int64 or uint64.
func ParseMetadata(data []byte) (map[string]any, error) {
	tree, err := strictjson.Parse(data, strictjson.Limits{})
	if err != nil {
		return nil, err
	}
	plain, ok := tree.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	return plain, nil
}
