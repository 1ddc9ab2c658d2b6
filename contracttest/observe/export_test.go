package observe

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/schema"
)

// ArgumentsFor returns a generator of a schema's values. With a nil judge, only
// what the schema refuses counts as a violation.
func ArgumentsFor(raw string, judge func(json.RawMessage) []schema.Violation, without ...string) (*Arguments, error) {
	args := &Arguments{judge: judge, without: without}
	if err := args.read(json.RawMessage(raw)); err != nil {
		return nil, err
	}
	return args, nil
}

// Violations returns why a tool refuses arguments.
func Violations(tool *contract.Tool, raw json.RawMessage) []schema.Violation {
	_, violations := bound.Of(tool).Decode(raw)
	return violations
}
