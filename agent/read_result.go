package agent

import (
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// read reads a result. One that is too large is an error.
func (c *call) read(raw json.RawMessage) (*wireResult, error) {
	limit := min(c.agent.options.Limits.ResultBytes, c.tool.Contract.MaxResultBytes)
	const escaped, meta = 6, 1 << 16 // an escaped byte takes up to six, and _meta does not count
	if (int64(len(raw))-meta)/escaped > limit {
		return nil, c.tooLarge(limit)
	}
	var w wireResult
	if readStrict(raw, &w) != nil {
		return nil, c.contractBroken("the result cannot be read")
	}
	if w.size() > limit {
		return nil, c.tooLarge(limit)
	}
	return &w, nil
}

// itemBytes is roughly the size of the member names in one item of content.
const itemBytes = 64

// size returns the size of a result without its _meta and without escapes, as
// the guard of a server counts it.
func (w *wireResult) size() int64 {
	size := 0
	if w.hasStructured() {
		size = len(w.Structured)
		if canonical, err := strictjson.Canonical(w.Structured); err == nil {
			size = len(canonical)
		}
	}
	for _, raw := range w.Content {
		var b struct {
			Text string `json:"text"`
		}
		if readStrict(raw, &b) == nil && b.Text != "" {
			size += len(b.Text)
			continue
		}
		size += max(len(raw)-itemBytes, 0)
	}
	return int64(size)
}

func (c *call) tooLarge(limit int64) error {
	message := fmt.Sprintf("the result is larger than %d bytes", limit)
	if c.tool.reads() && c.tool.hasContract() {
		return c.retry(contract.CodeResultTooLarge, message+"; ask for less")
	}
	return c.fatal(contract.CodeResultTooLarge, message, nil)
}

// checkOutput checks the structured content of a result.
func (c *call) checkOutput(r *Result) error {
	if c.tool.output == nil {
		return nil
	}
	if r.Structured == nil {
		return r.invalid("the result has no structured content, and the tool has an output schema")
	}
	broken := violations(c.tool.output, r.Structured)
	if len(broken) == 0 {
		return nil
	}
	f := c.failure(contract.CodeOutputInvalid, "the result breaks the output schema of the tool")
	f.Outcome = r.Outcome
	f.Outcome.Violations = broken[:1] // pointers contain names that the server wrote
	return &FatalError{Failure: f}
}
