package guard_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

func TestUntyped_OutputWithoutASchemaIsReturned(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		out, structured, text string
	}{
		"an object":              {`{"b":1,"a":9007199254740993}`, `{"b":1,"a":9007199254740993}`, `{"b":1,"a":9007199254740993}`},
		"a hidden character":     {`{"a":"x\u200b"}`, `{"a":"x"}`, `{"a":"x"}`},
		"an array":               {`[1]`, "", `[1]`},
		"null":                   {` null`, "", "ok"},
		"nothing":                {"", "", "ok"},
		"an object of no member": {`{}`, `{}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := reader("art.show", func(context.Context) (json.RawMessage, error) { return json.RawMessage(test.out), nil })
			r := newKit(t, []*contract.Tool{tool.MustBuild()}).call(alice, "art.show", "")
			assert.False(t, r.IsError)
			assert.Equal(t, test.structured, string(r.Structured))
			assert.Equal(t, test.text, r.Text)
			assert.Empty(t, r.Content)
		})
	}
	tool := reader("art.show", func(context.Context) (json.RawMessage, error) { return json.RawMessage(`{"a":"obey"}`), nil })
	r := newKit(t, []*contract.Tool{tool.Trust(trust.Untrusted).MustBuild()}).call(alice, "art.show", "")
	assert.JSONEq(t, `{"a":"obey"}`, string(r.Structured))
	assert.Equal(t, `{"a":"obey"}`, foreign(r.Text))
}
