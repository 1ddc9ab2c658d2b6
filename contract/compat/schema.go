package compat

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract/compat/internal/schemadiff"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// schemas compares both schemas, each in its direction: who gives arguments is
// broken by a schema that accepts less, who takes results by one that allows more.
func (d *differ) schemas() {
	const input, output = "/inputSchema", "/outputSchema"
	switch old, now := d.old.InputSchema, d.now.InputSchema; {
	case len(old) > 0 && len(now) > 0:
		d.schema(inputSide, input, old, now)
	case len(old) > 0 || len(now) > 0:
		d.add("inputSchema.presence", input, rawOrNothing(old), rawOrNothing(now))
	}
	switch old, now := d.old.OutputSchema, d.now.OutputSchema; {
	case len(old) > 0 && len(now) > 0:
		d.schema(outputSide, output, old, now)
	case len(now) > 0:
		d.add("outputSchema.added", output, nil, now)
	case len(old) > 0:
		d.add("outputSchema.removed", output, old, nil)
	}
}

func rawOrNothing(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

func (d *differ) schema(side schemaSide, pointer string, old, now json.RawMessage) {
	for _, f := range schemadiff.Compare(old, now) {
		if side == outputSide && f.Kind == schemadiff.Default && f.Effect == schemadiff.Unknown {
			continue // into results, nothing is filled in
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

// sameJSON reports whether two texts are one JSON value.
func sameJSON(a, b json.RawMessage) bool {
	first, errFirst := strictjson.Canonical(a)
	second, errSecond := strictjson.Canonical(b)
	return errFirst == nil && errSecond == nil && string(first) == string(second)
}
