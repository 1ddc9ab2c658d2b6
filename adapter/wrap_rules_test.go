package adapter_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// by wraps the tool echo by rules.
func by(r wrap.Rules) wrap.Tool {
	return adapter.NewWrapper(r, adapter.Config{}).Wrap(echo, func([]wrap.Option) *wrap.Builder {
		return adapter.Wrap(echo, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{})
	})
}

func TestRules_CountInTheirOrder(t *testing.T) {
	t.Parallel()
	all := contract.Base{Version: "1.0.0", Trust: trust.Trusted, Effect: risk.LowRiskWrite, Permissions: []string{"a:b"}}
	one := contract.Base{Effect: risk.HighRiskWrite}
	declare := func(b *wrap.Builder) { b.Effect(risk.ReadOnly) }
	for effect, r := range map[risk.Effect]wrap.Rules{
		risk.LowRiskWrite:  {Base: all},
		risk.HighRiskWrite: {Base: all, Tools: map[string]wrap.Rule{"echo": {Base: one}}},
		risk.ReadOnly:      {Base: all, Tools: map[string]wrap.Rule{"echo": {Base: one, Declare: declare}}},
	} {
		wrapped := by(r)
		require.NoError(t, wrapped.Err)
		assert.Equal(t, effect, wrapped.Contract.Document().Effect)
		assert.Empty(t, wrapped.Guesses)
		assert.NotEmpty(t, wrapped.Changes)
	}
}

// To build a contract takes most of the time of a WrapAll, so guesses need no
// further one.
func TestRules_DeclareOnceForAGuessedContract(t *testing.T) {
	t.Parallel()
	tool := echo
	tool.InputSchema = json.RawMessage(headerSchema)
	tool.Annotations = adapter.ToolAnnotations{DestructiveHint: new(false), IdempotentHint: new(true)}
	declared := 0
	rule := wrap.Rule{Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted}, Declare: func(b *wrap.Builder) {
		declared++
		b.Permissions("a:b")
	}}
	started := 0
	wrapped := adapter.NewWrapper(wrap.Rules{Tools: map[string]wrap.Rule{"echo": rule}}, adapter.Config{}).Wrap(tool,
		func([]wrap.Option) *wrap.Builder {
			started++
			return adapter.Wrap(tool, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{})
		})
	require.NoError(t, wrapped.Err)
	var guessed []string
	for _, g := range wrapped.Guesses {
		guessed = append(guessed, g.Clause)
	}
	assert.Equal(t, []string{"effect", "sideEffects", "idempotency"}, guessed)
	assert.NotContains(t, string(wrapped.Contract.Document().InputSchema), `"Region"`)
	assert.Equal(t, []int{1, 1}, []int{started, declared})
}

// The keys by which a host asks its user are a wish, and no contract becomes
// weaker by them.
func TestRules_KeysOfHostsAreNoConfirmation(t *testing.T) {
	t.Parallel()
	document := func(meta map[string]any) contract.Document {
		tool := echo
		tool.Annotations = adapter.ToolAnnotations{DestructiveHint: new(true)}
		tool.Meta = meta
		rule := wrap.Rule{Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted, Permissions: []string{"a:b"}}}
		wrapped := adapter.NewWrapper(wrap.Rules{Tools: map[string]wrap.Rule{"echo": rule}}, adapter.Config{}).Wrap(tool,
			func([]wrap.Option) *wrap.Builder {
				return adapter.Wrap(tool, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{})
			})
		require.NoError(t, wrapped.Err)
		return wrapped.Contract.Document()
	}
	plain := document(nil)
	assert.Equal(t, contract.ConfirmationAlways, plain.Confirmation)
	assert.Equal(t, plain, document(map[string]any{
		"anthropic/requiresUserInteraction": true, "cursor/requiresConfirmation": true,
	}))
}

func TestRules_LeaveToolsWithoutAContract(t *testing.T) {
	t.Parallel()
	left := wrap.Rules{Tools: map[string]wrap.Rule{"echo": {Uncontracted: true}}}
	assert.Equal(t, wrap.Tool{Name: "echo"}, by(left))
	w := adapter.NewWrapper(left, adapter.Config{})
	assert.True(t, w.Leaves("echo"))
	assert.False(t, w.Leaves("other"))
	assert.True(t, adapter.NewWrapper(wrap.Rules{AllowUncontracted: true}, adapter.Config{}).Leaves("other"))
}

func TestRules_ReportWhatIsWrong(t *testing.T) {
	t.Parallel()
	r := wrap.Rules{Tools: map[string]wrap.Rule{"ecko": {}, "later": {Later: true}, "echo": {}}}
	report := &wrap.Report{Tools: []wrap.Tool{by(r)}}
	require.Error(t, report.Tools[0].Err, "nothing declares the version")
	assert.Empty(t, report.Contracts())
	found := rules(adapter.NewWrapper(r, adapter.Config{}).Check(report))
	assert.Contains(t, found, "wrap.unknown ecko")
	assert.NotContains(t, found, "wrap.unknown later")
	assert.Contains(t, found, "version.missing echo")
	var unknown *contract.DeclarationError
	require.ErrorAs(t, adapter.NewWrapper(r, adapter.Config{}).Check(report), &unknown)
	assert.Equal(t, `correct the name (did you mean "echo"?), or set Later if the tool is added later`, unknown.Remedy)
	r.AllowUncontracted = true
	assert.Equal(t, []string{"wrap.unknown ecko"}, rules(adapter.NewWrapper(r, adapter.Config{}).Check(report)))

	adapter.NewWrapper(r, adapter.Config{}).Note(report, &contract.DeclarationError{Rule: "serve.collision", Tool: "echo"})
	assert.Contains(t, rules(report.Tools[0].Err), "serve.collision echo")
}

// Servers copy schemas from OpenAPI, and misspell keywords.
func TestRules_NameTheKeywordsThatNothingChecks(t *testing.T) {
	t.Parallel()
	tool := echo
	tool.InputSchema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","maxLenght":3},` +
		`"b":{"type":"string","nullable":true},"c":{"enum":["x"],"nullable":true}},"x-own":1}`)
	tool.OutputSchema = json.RawMessage(`{"type":"object","requird":["a"]}`)
	w := adapter.NewWrapper(wrap.Rules{Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted, Effect: risk.ReadOnly}},
		adapter.Config{})
	wrapped := w.Wrap(tool, func([]wrap.Option) *wrap.Builder {
		return adapter.Wrap(tool, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{})
	})
	require.NoError(t, wrapped.Err)
	for _, change := range []string{
		"nullable of OpenAPI 3.0 is listed as a type that may be null",
		`input schema /properties/a/maxLenght: is not a keyword of JSON Schema (did you mean "maxLength"?), and nothing checks it`,
		"input schema /properties/c/nullable: is not a keyword of JSON Schema, and nothing checks it",
		`output schema /requird: is not a keyword of JSON Schema (did you mean "required"?), and nothing checks it`,
	} {
		assert.Contains(t, wrapped.Changes, change)
	}
	assert.NotContains(t, strings.Join(wrapped.Changes, "\n"), "x-own")
	assert.NotContains(t, wrapped.Changes, "a schema of an older draft is listed in draft 2020-12")
}

const headerSchema = `{"type":"object","properties":{"x-mcp-header":{"type":"string"},"deep":{"type":"object","properties":` +
	`{"region":{"type":"string","x-mcp-header":"Region"}}}},"required":["x-mcp-header"]}`

// Callers that may not see a tool would learn of it from its headers, and those
// who call it by an alias do not know them.
func TestRules_DropHeadersThatCallersCannotKnow(t *testing.T) {
	t.Parallel()
	tool := echo
	tool.InputSchema = json.RawMessage(headerSchema)
	wrapTool := func(r wrap.Rule) wrap.Tool {
		r.Base = contract.Base{Version: "1.0.0", Trust: trust.Trusted, Effect: risk.ReadOnly}
		w := adapter.NewWrapper(wrap.Rules{Tools: map[string]wrap.Rule{"echo": r}}, adapter.Config{})
		return w.Wrap(tool, func([]wrap.Option) *wrap.Builder {
			return adapter.Wrap(tool, result(adapter.HandlerResult{}, nil), adapter.WrapConfig{})
		})
	}
	dropped := strings.Replace(headerSchema, `,"x-mcp-header":"Region"`, "", 1)
	for name, c := range map[string]struct {
		rule   wrap.Rule
		listed string
	}{
		"everybody":   {wrap.Rule{}, headerSchema},
		"permissions": {wrap.Rule{Declare: func(b *wrap.Builder) { b.Permissions("a:b") }}, dropped},
		"aliases":     {wrap.Rule{Declare: func(b *wrap.Builder) { b.Aliases("say") }}, dropped},
	} {
		wrapped := wrapTool(c.rule)
		require.NoError(t, wrapped.Err, name)
		assert.JSONEq(t, c.listed, string(wrapped.Contract.Document().InputSchema), name)
		assert.Equal(t, c.listed != headerSchema, slices.Contains(wrapped.Changes,
			"x-mcp-header is not listed, so clients do not repeat arguments in HTTP headers"), name)
	}
}
