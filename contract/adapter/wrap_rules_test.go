package adapter_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// by wraps the tool echo by rules.
func by(r adapter.Rules) adapter.WrappedTool {
	return r.Wrap(echo, contract.Underscore, func() *adapter.WrappedBuilder {
		return adapter.Wrap(echo, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{})
	})
}

func TestRules_CountInTheirOrder(t *testing.T) {
	t.Parallel()
	all := contract.Base{Version: "1.0.0", Trust: trust.Trusted, Effect: risk.LowRiskWrite, Permissions: []string{"a:b"}}
	one := contract.Base{Effect: risk.HighRiskWrite}
	declare := func(b *adapter.WrappedBuilder) { b.Effect(risk.ReadOnly) }
	for effect, r := range map[risk.Effect]adapter.Rules{
		risk.LowRiskWrite:  {Base: all},
		risk.HighRiskWrite: {Base: all, Tools: map[string]adapter.Rule{"echo": {Base: one}}},
		risk.ReadOnly:      {Base: all, Tools: map[string]adapter.Rule{"echo": {Base: one, Declare: declare}}},
	} {
		wrapped := by(r)
		require.NoError(t, wrapped.Err)
		assert.Equal(t, effect, wrapped.Contract.Document().Effect)
		assert.Empty(t, wrapped.Guesses)
		assert.NotEmpty(t, wrapped.Changes)
	}
}

func TestRules_LeaveToolsWithoutAContract(t *testing.T) {
	t.Parallel()
	left := adapter.Rules{Tools: map[string]adapter.Rule{"echo": {Uncontracted: true}}}
	assert.Equal(t, adapter.WrappedTool{Name: "echo"}, by(left))
	assert.True(t, left.Leaves("echo"))
	assert.False(t, left.Leaves("other"))
	assert.True(t, adapter.Rules{AllowUncontracted: true}.Leaves("other"))
}

func TestRules_ReportWhatIsWrong(t *testing.T) {
	t.Parallel()
	r := adapter.Rules{Tools: map[string]adapter.Rule{"ecko": {}, "later": {Later: true}, "echo": {}}}
	report := &adapter.WrapReport{Tools: []adapter.WrappedTool{by(r)}}
	require.Error(t, report.Tools[0].Err, "nothing declares the version")
	assert.Empty(t, report.Contracts())
	found := rules(report.Check(r))
	assert.Contains(t, found, "wrap.unknown ecko")
	assert.NotContains(t, found, "wrap.unknown later")
	assert.Contains(t, found, "version.missing echo")
	var unknown *contract.DeclarationError
	require.ErrorAs(t, report.Check(r), &unknown)
	assert.Equal(t, `correct the name (did you mean "echo"?), or set Later if the tool is added later`, unknown.Remedy)
	r.AllowUncontracted = true
	assert.Equal(t, []string{"wrap.unknown ecko"}, rules(report.Check(r)))

	report.Note(&contract.DeclarationError{Rule: "serve.collision", Tool: "echo"})
	assert.Contains(t, rules(report.Tools[0].Err), "serve.collision echo")
}

const headerSchema = `{"type":"object","properties":{"x-mcp-header":{"type":"string"},"deep":{"type":"object","properties":` +
	`{"region":{"type":"string","x-mcp-header":"Region"}}}},"required":["x-mcp-header"]}`

// Callers that may not see a tool would learn of it from its headers, and those
// who call it by an alias do not know them.
func TestRules_DropHeadersThatCallersCannotKnow(t *testing.T) {
	t.Parallel()
	tool := echo
	tool.InputSchema = json.RawMessage(headerSchema)
	wrap := func(r adapter.Rule) adapter.WrappedTool {
		r.Base = contract.Base{Version: "1.0.0", Trust: trust.Trusted, Effect: risk.ReadOnly}
		return adapter.Rules{Tools: map[string]adapter.Rule{"echo": r}}.Wrap(tool, contract.Underscore, func() *adapter.WrappedBuilder {
			return adapter.Wrap(tool, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{})
		})
	}
	dropped := strings.Replace(headerSchema, `,"x-mcp-header":"Region"`, "", 1)
	for name, c := range map[string]struct {
		rule   adapter.Rule
		listed string
	}{
		"everybody":   {adapter.Rule{}, headerSchema},
		"permissions": {adapter.Rule{Declare: func(b *adapter.WrappedBuilder) { b.Permissions("a:b") }}, dropped},
		"aliases":     {adapter.Rule{Declare: func(b *adapter.WrappedBuilder) { b.Aliases("say") }}, dropped},
	} {
		wrapped := wrap(c.rule)
		require.NoError(t, wrapped.Err, name)
		assert.JSONEq(t, c.listed, string(wrapped.Contract.Document().InputSchema), name)
		assert.Equal(t, c.listed != headerSchema, slices.ContainsFunc(wrapped.Changes, func(change adapter.WireChange) bool {
			return change.Kind == adapter.DroppedHeader
		}), name)
	}
}
