package adapters_test

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// decode parses a JSON value without rounding numbers.
func decode(raw json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func equalValues(a, b any) bool { return reflect.DeepEqual(a, b) }

// encode marshals one of the suite's own values.
func (t *checkRun) encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		t.broken("the suite cannot write a value: %v", err)
	}
	return raw
}
