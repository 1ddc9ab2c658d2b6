package draw

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
)

// ForTool returns a Schema that draws the arguments of a tool. A call reads
// every value that is valid, so a violation that the tool's own type finds
// counts too. The members dryRun and dryRunToken are never drawn.
func ForTool(t *contract.Tool) (*Schema, error) {
	half := bound.Of(t)
	opts := Options{Judge: func(raw json.RawMessage) []schema.Violation {
		_, violations := half.Decode(raw)
		return violations
	}}
	doc := t.Document()
	if doc.DryRun != 0 {
		opts.Without = []string{"dryRun", "dryRunToken"}
	}
	return New(doc.InputSchema, opts)
}
