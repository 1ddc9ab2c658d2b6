package compat

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/schema/diff"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func (d *recorder) schemas(old, now contract.Document) {
	const input, output = "/inputSchema", "/outputSchema"
	if d.present(input, old.InputSchema, now.InputSchema, "inputSchema.presence", "inputSchema.presence") {
		d.schema(inputSide, input, old.InputSchema, now.InputSchema)
	}
	if d.present(output, old.OutputSchema, now.OutputSchema, "outputSchema.added", "outputSchema.removed") {
		d.schema(outputSide, output, old.OutputSchema, now.OutputSchema)
	}
}

// present records whether a schema was added or removed, and reports whether
// both contracts have it.
func (d *recorder) present(pointer string, old, now json.RawMessage, added, removed string) bool {
	switch {
	case len(old) == 0 && len(now) > 0:
		d.add(added, pointer, nil, now)
	case len(old) > 0 && len(now) == 0:
		d.add(removed, pointer, old, nil)
	}
	return len(old) > 0 && len(now) > 0
}

func (d *recorder) schema(side schemaSide, pointer string, old, now json.RawMessage) {
	for _, f := range diff.Compare(old, now) {
		if side == outputSide && f.Kind == diff.Default && f.Effect == diff.Unknown {
			continue // defaults are not filled into results
		}
		more := ""
		if f.Effect == diff.Unknown {
			more = "Here: " + f.Reason + "."
		}
		d.addReason(side.rule(f.Kind, f.Effect), pointer+f.Pointer, treeJSON(f.From), treeJSON(f.To), more)
	}
}

// treeJSON writes a part of a schema in its canonical form.
func treeJSON(tree any) any {
	if tree == nil {
		return nil
	}
	data, err := strictjson.Marshal(tree)
	if err != nil {
		return nil
	}
	return json.RawMessage(data)
}

// A schemaSide is the input or the output, as the first word of a rule's ID.
type schemaSide string

const (
	inputSide  schemaSide = "input"
	outputSide schemaSide = "output"
)

// rule returns the ID of the rule for a kind of difference.
func (s schemaSide) rule(kind diff.Kind, effect diff.Effect) string {
	switch effect {
	case diff.Narrowed, diff.Widened:
		return string(s) + "." + string(kind) + "." + string(effect)
	case diff.Reworded:
		switch {
		case kind == diff.Exposed:
			return "field.exposed"
		case kind == diff.Protected:
			return "field.protected"
		case kind == diff.Default && s == inputSide:
			return "input.default"
		}
		return string(s) + ".text"
	case diff.Unknown:
	}
	return string(s) + ".unknown"
}
