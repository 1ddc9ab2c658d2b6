package guard_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

// A partial key names no call: forgetting nothing would look like success, and
// the next equal call would be answered with what was undone.
func TestForget_RefusesAPartialKeyInEveryFormOfSchema(t *testing.T) {
	t.Parallel()
	const order = `{"type":"object","properties":{"shop":{"type":"string"},"order":{"type":"integer"}},"required":["shop","order"]}`
	for name, c := range map[string]struct {
		schema string
		whole  string
	}{
		"properties":   {order, ``},
		"$ref at root": {`{"type":"object","$ref":"#/$defs/order","$defs":{"order":` + order + `}}`, ``},
		"$anchor":      {`{"type":"object","$ref":"#order","$defs":{"o":{"$anchor":"order",` + order[1:] + `}}`, ``},
		"allOf": {`{"type":"object","allOf":[{"properties":{"shop":{"type":"string"}},"required":["shop"]},` +
			order + `]}`, ``},
		"allOf of $refs": {`{"type":"object","allOf":[{"$ref":"#/$defs/o"}],"$defs":{"o":` + order + `}}`, ``},
		"nested allOf":   {`{"type":"object","allOf":[{"allOf":[{"$ref":"#/$defs/o"}]}],"$defs":{"o":` + order + `}}`, ``},
		"every branch of anyOf": {
			`{"type":"object","anyOf":[` + order + `,{"properties":{"note":{"type":"string"}},"required":["order","shop","note"]}]}`, ``,
		},
		"anyOf with null":  {`{"type":"object","anyOf":[` + order + `,{"type":"null"}]}`, ``},
		"anyOf with false": {`{"type":"object","anyOf":[` + order + `,false]}`, ``},
		"oneOf by a constant": {`{"type":"object","properties":{"shop":{"type":"string"},"order":{"type":"integer"}},"oneOf":[` +
			`{"properties":{"shop":{"const":"a"}},"required":["shop","order"]},` +
			`{"properties":{"shop":{"const":"b"}},"required":["shop"]}]}`, `{"shop":"b"}`},
		"if, then and else": {`{"type":"object","if":{"required":["note"]},"then":` + order + `,"else":` + order + `}`, ``},
		"dependentRequired": {`{"type":"object","properties":{"shop":true,"order":true},"required":["shop"],` +
			`"dependentRequired":{"shop":["order"]}}`, ``},
		"dependentSchemas": {`{"type":"object","properties":{"shop":true,"order":true},"required":["shop"],` +
			`"dependentSchemas":{"shop":{"required":["order"]}}}`, ``},
		"boolean schemas": {`{"type":"object","properties":{"shop":true,"order":true},"required":["shop","order"],"allOf":[true]}`, ``},
		"pattern properties": {`{"type":"object","patternProperties":{"^(shop|order)$":{}},"additionalProperties":false,` +
			`"required":["shop","order"]}`, ``},
		"additional properties": {`{"type":"object","additionalProperties":{"type":["string","integer"]},` +
			`"required":["shop","order"]}`, ``},
		"a default": {`{"type":"object","properties":{"shop":{"type":"string"},"order":{"type":"integer","default":1}},` +
			`"required":["shop"]}`, ``},
		"a default behind $refs": {`{"type":"object","$ref":"#/$defs/o","$defs":{"o":{"type":"object",` +
			`"properties":{"shop":{"type":"string"},"order":{"$ref":"#/$defs/n"}},"required":["shop"]},` +
			`"n":{"type":"integer","default":1}}}`, ``},
		"if and then": {`{"type":"object","properties":{"shop":true,"order":true},"required":["shop"],` +
			`"if":{"required":["shop"]},"then":{"required":["order"]}}`, ``},
		"if false and else": {`{"type":"object","properties":{"shop":true,"order":true},"if":false,` +
			`"else":{"required":["shop","order"]}}`, ``},
		"two negations": {`{"type":"object","properties":{"shop":true,"order":true},` +
			`"not":{"not":{"required":["shop","order"]}}}`, ``},
		"a number of members": {`{"type":"object","properties":{"shop":true,"order":true},"additionalProperties":false,` +
			`"minProperties":2}`, ``},
		"anyOf with a negation": {`{"type":"object","properties":{"shop":true,"order":true},` +
			`"anyOf":[{"not":{"required":["shop"]}},{"required":["order"]}]}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.whole == "" {
				c.whole = `{"shop":"a","order":7}`
			}
			n := &counter{}
			pay := contract.New("pay.now", func(context.Context, json.RawMessage) (payOutput, error) {
				return payOutput{n.runs.Add(1)}, nil
			}).From(writing()).InputSchema(json.RawMessage(c.schema)).
				Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"shop", "order"}}).MustBuild()
			void, failed := voider("pay.now")
			k := newKit(t, []*contract.Tool{pay, void})
			require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", c.whole).Outcome.Status)
			for _, partial := range []string{`{}`, `{"shop":"a"}`, `{"order":7}`} {
				k.call(alice, "void.now", `{"key":`+partial+`}`)
				require.Error(t, *failed, partial)
			}
			k.call(alice, "pay.now", c.whole)
			require.EqualValues(t, 1, n.runs.Load(), "nothing was forgotten")
			k.call(alice, "void.now", `{"key":`+c.whole+`}`)
			require.NoError(t, *failed)
			k.call(alice, "pay.now", c.whole)
			assert.EqualValues(t, 2, n.runs.Load(), "the whole key is that of the call")
		})
	}
}

// A member that a call can leave out need not be in its key.
func TestForget_KeyMayLackWhatACallMayLack(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"optional":             `{"type":"object","properties":{"shop":true,"order":true},"required":["shop"]}`,
		"in one branch":        `{"type":"object","anyOf":[{"required":["shop"]},{"required":["shop","order"]}]}`,
		"under a condition":    `{"type":"object","required":["shop"],"if":{"required":["note"]},"then":{"required":["order"]}}`,
		"for another member":   `{"type":"object","required":["shop"],"dependentRequired":{"note":["order"]}}`,
		"negated":              `{"type":"object","required":["shop"],"not":{"required":["order"]}}`,
		"of a nested object":   `{"type":"object","required":["shop"],"properties":{"in":{"type":"object","required":["order"]}}}`,
		"of an unused schema":  `{"type":"object","required":["shop"],"$defs":{"o":{"required":["order"]}}}`,
		"a default of its own": `{"type":"object","required":["shop"],"default":{"shop":"a","order":1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			pay := contract.New("pay.now", func(context.Context, json.RawMessage) (payOutput, error) {
				return payOutput{n.runs.Add(1)}, nil
			}).From(writing()).InputSchema(json.RawMessage(schema)).
				Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"shop", "order"}}).MustBuild()
			void, failed := voider("pay.now")
			k := newKit(t, []*contract.Tool{pay, void})
			k.call(alice, "pay.now", `{"shop":"a"}`)
			k.call(alice, "void.now", `{"key":{"shop":"a"}}`)
			require.NoError(t, *failed)
			k.call(alice, "pay.now", `{"shop":"a"}`)
			assert.EqualValues(t, 2, n.runs.Load())
		})
	}
}
