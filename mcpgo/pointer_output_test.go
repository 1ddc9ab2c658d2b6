package mcpgo_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// sumOf returns a tool whose handler returns what a function makes of a sum.
func sumOf[Out any](t *testing.T, name string, of func(*addOut) Out) *contract.Tool {
	t.Helper()
	tool, err := contract.New(name, func(_ context.Context, in sdktest.AddIn) (Out, error) {
		if in.A == 0 {
			return of(nil), nil
		}
		return of(&addOut{Sum: in.A + in.B}), nil
	}).Description("Adds.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	require.NoError(t, err)
	return tool
}

func TestPointerOutput_IsPublishedAndReturnedAsItsStruct(t *testing.T) {
	t.Parallel()
	bare := sumOf(t, "calc.bare", func(out *addOut) *addOut { return out })
	reply := sumOf(t, "calc.reply", func(out *addOut) contract.Reply[*addOut] { return contract.Reply[*addOut]{Out: out} })
	n := &tools{}
	k := newKit(t, []*contract.Tool{bare, reply})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for _, tool := range []*contract.Tool{bare, reply} {
			assert.JSONEq(t, string(n.Add().MustBuild().Document().OutputSchema), string(tool.Document().OutputSchema))
			raw := k.call(e, "", tool.Name(), `{"a":1,"b":2}`)
			assert.JSONEq(t, `{"sum":3}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
			sdktest.AssertRefused(t, k.call(e, "", tool.Name(), `{"a":0}`), contract.CodeOutputInvalid)
		}
	})
}

func TestPointerOutput_OfARestrictedToolReturnsOnlyExposedFields(t *testing.T) {
	t.Parallel()
	type account struct {
		ID     string `json:"id" contract:"expose"`
		Secret string `json:"secret"`
	}
	tool := contract.New("accounts.read", func(context.Context, empty) (*account, error) { return &account{"a", "hidden"}, nil }).
		Description("Reads.").Version("1.0.0").Risk(risk.Restricted).Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions(
		"notes:write").MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	raw := k.call(modern, "alice", "accounts.read", `{}`)
	assert.JSONEq(t, `{"id":"a"}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
	assert.NotContains(t, raw, "hidden")
	assert.NotContains(t, string(tool.Document().OutputSchema), "secret")
}
