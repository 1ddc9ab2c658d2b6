package compat

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract/compat/internal/schemadiff"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// schemasClause compares both schemas, each in its direction: an input schema
// that accepts less breaks callers, and so does an output schema that allows
// more.
func schemasClause() clause {
	return clause{
		rules: append([]Rule{
			{ID: "inputSchema.presence", Class: Breaking, Unknown: true,
				Summary: "Only one side has an input schema.",
				Reason:  "A contract without it does not declare its input."},
			{ID: "outputSchema.added", Class: Breaking,
				Summary: "The result has a schema now.",
				Reason:  "It is JSON, and was text or nothing."},
			{ID: "outputSchema.removed", Class: Breaking,
				Summary: "The result no longer has a schema.",
				Reason:  "Callers relied on its form."},
		}, schemaRules()...),
		compare: (*differ).schemas,
	}
}

func (d *differ) schemas() {
	const input, output = "/inputSchema", "/outputSchema"
	oldInput, nowInput := rawOrNil(d.old.InputSchema), rawOrNil(d.now.InputSchema)
	if present(d, input, oldInput, nowInput, "inputSchema.presence", "inputSchema.presence") {
		d.schema(inputSide, input, *oldInput, *nowInput)
	}
	oldOutput, nowOutput := rawOrNil(d.old.OutputSchema), rawOrNil(d.now.OutputSchema)
	if present(d, output, oldOutput, nowOutput, "outputSchema.added", "outputSchema.removed") {
		d.schema(outputSide, output, *oldOutput, *nowOutput)
	}
}

func rawOrNil(raw json.RawMessage) *json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	return &raw
}

func (d *differ) schema(side schemaSide, pointer string, old, now json.RawMessage) {
	for _, f := range schemadiff.Compare(old, now) {
		if side == outputSide && f.Kind == schemadiff.Default && f.Effect == schemadiff.Unknown {
			continue // defaults are not filled into results
		}
		more := ""
		if f.Effect == schemadiff.Unknown {
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
