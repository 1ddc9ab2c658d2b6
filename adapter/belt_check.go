package adapter

import (
	"encoding/json"
	"errors"
	"sync"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// checkArguments returns a function that finds how arguments break an input
// schema, including by a duplicate member or one in another case. If the schema
// cannot be compiled, such as one that never ends, only these two are found.
func checkArguments(input json.RawMessage) func(text []byte) []schema.Violation {
	compiled := lenientSchema(input, schema.Input)
	misspelt := newSpelling(input)
	return func(text []byte) []schema.Violation {
		value, broken := checkJSON(compiled(), text)
		if len(broken) > 0 {
			return broken
		}
		return misspelt.check(value)
	}
}

// checkStructured returns a function that finds how structured content breaks
// an output schema. Without one, everything fits.
func checkStructured(output json.RawMessage) func(text []byte) []schema.Violation {
	if output == nil {
		return func([]byte) []schema.Violation { return nil }
	}
	compiled := lenientSchema(output, schema.Output)
	return func(text []byte) []schema.Violation {
		s := compiled()
		if s == nil || s.Fits(text) {
			return nil
		}
		_, broken := checkJSON(s, text)
		return broken
	}
}

// lenientSchema returns a schema that was written by others, or nil if it
// cannot be compiled. It is compiled when it is first needed.
func lenientSchema(raw json.RawMessage, d schema.Direction) func() *schema.Schema {
	return sync.OnceValue(func() *schema.Schema {
		modern, _, _ := schema.Modern(tree.NewText(raw), true)
		compiled, _ := schema.CompileText(modern, schema.CompileOptions{Lenient: true, Direction: d, Unfilled: true})
		return compiled
	})
}

// checkJSON parses a text and validates its value. A nil schema allows every
// value.
func checkJSON(s *schema.Schema, text []byte) (value any, broken []schema.Violation) {
	value, err := strictjson.Parse(text, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(text))})
	if e, ok := errors.AsType[*strictjson.Error](err); ok {
		return nil, []schema.Violation{{Rule: e.Rule, Pointer: e.Pointer, Message: e.Message}}
	}
	if err != nil || s == nil || s.Fits(text) {
		return value, nil
	}
	return value, s.Validate(value)
}
