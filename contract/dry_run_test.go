package contract_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
)

// A nestedInput has itself as a member.
type nestedInput struct {
	Inner *nestedInput `json:"inner,omitempty"`
}

// previewAs is a preview that returns data of type D.
func previewAs[In, D any]() dryrun.Clause[In] {
	return dryrun.By(func(context.Context, In) (dryrun.Preview[D], error) { return dryrun.Preview[D]{}, nil })
}

type (
	dryRunInput struct {
		DryRun bool `json:"dryRun"`
	}
	dryRunTokenInput struct {
		DryRunToken string `json:"dryRunToken"`
	}
	dryRunOutput struct {
		DryRun bool `json:"dryRun"`
	}
	countData struct {
		Recipients []person `json:"recipients"`
	}
	exposedData struct {
		Recipients int    `json:"recipients" contract:"expose"`
		Query      string `json:"query"`
	}
	hiddenData struct {
		Query string `json:"query"`
	}
	warningsData struct {
		Warnings string `json:"warnings"`
	}
	person struct {
		Name   string   `json:"name"`
		Knows  []person `json:"knows"`
		Second *person  `json:"second,omitempty"`
	}
)

func dry[In, Out, D any]() *contract.Builder[In, Out] {
	return complete(contract.New("notes.send", handler[In, Out])).Effect(risk.LowRiskWrite).Permissions("notes:write").
		DryRun(previewAs[In, D]())
}

// brokenDryRuns returns contracts for each rule of dry runs. Each contract
// breaks only that rule.
func brokenDryRuns() []brokenRule {
	root := func(s string) *contract.Builder[noteInput, noteOutput] {
		return dry[noteInput, noteOutput, countData]().InputSchema(closed(s))
	}
	return []brokenRule{
		{"dryRun.input", "whose input has a member dryRun", dry[dryRunInput, noteOutput, countData](),
			"inputSchema /properties/dryRun"},
		{"dryRun.input", "whose input has a member dryRunToken and whose dry run is required",
			complete(contract.New("notes.send",
				handler[dryRunTokenInput, noteOutput])).Effect(risk.LowRiskWrite).Permissions("a").DryRun(
				previewAs[dryRunTokenInput, countData]().Required()), "inputSchema /properties/dryRunToken"},
		{"dryRun.input", "whose input has a root of several forms", root(`{"type":"object","anyOf":[{"required":["text"]}],` +
			`"properties":{"text":{"type":"string"}}}`), "inputSchema /anyOf"},
		{"dryRun.input", "whose input must have a member", root(`{"type":"object","minProperties":1}`), "inputSchema /minProperties"},
		{"dryRun.input", "whose input reaches its root by an anchor",
			dry[nestedInput, noteOutput, countData]().InputSchema(closed(`{"type":"object","$anchor":"a",` +
				`"properties":{"inner":{"$ref":"#a"}}}`)), "inputSchema /properties/inner/$ref"},
		{"dryRun.output", "that can be tried and returns text", dry[noteInput, string, countData](), "outputSchema"},
		{"dryRun.output", "whose results have a member dryRun", dry[noteInput, dryRunOutput, countData](),
			"outputSchema /properties/dryRun"},
		{"dryRun.data", "whose preview has data that is a map", dry[noteInput, noteOutput, map[string]int](), "dryRun map[string]int"},
		{"dryRun.data", "whose preview has data that is anything", dry[noteInput, noteOutput, any](), "dryRun interface {}"},
		{"dryRun.data", "whose preview has data behind a pointer", dry[noteInput, noteOutput, *countData](),
			"dryRun *contract_test.countData"},
		{"dryRun.data", "whose preview has warnings of its own", dry[noteInput, noteOutput, warningsData](),
			"dryRun contract_test.warningsData"},
		{"restricted.expose", "that is restricted and whose preview exposes nothing",
			dry[noteInput, struct{}, hiddenData]().Risk(risk.Restricted), "dryRun contract_test.hiddenData"},
	}
}

func TestBuild_DryRunAddsControlsToTheInputAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		clause dryrun.Clause[noteInput]
		want   []string
	}{
		"a dry run that can be asked for": {previewAs[noteInput, countData](), []string{"dryRun", "text"}},
		"a dry run that must come first":  {previewAs[noteInput, countData]().Required(), []string{"dryRun", "dryRunToken", "text"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var input struct {
				Properties map[string]struct{ Type string }
				Required   []string
			}
			d := build(t, writing().DryRun(c.clause)).Document()
			require.NoError(t, json.Unmarshal(d.InputSchema, &input))
			for _, name := range c.want {
				assert.Contains(t, input.Properties, name)
			}
			assert.NotContains(t, input.Required, "dryRun")
			assert.NotContains(t, input.Required, "dryRunToken")
		})
	}
}

// anyOf returns the branches of a union.
func anyOf(t *testing.T, raw json.RawMessage) []map[string]any {
	t.Helper()
	var union struct {
		Type  string           `json:"type"`
		AnyOf []map[string]any `json:"anyOf"`
	}
	require.NoError(t, json.Unmarshal(raw, &union))
	require.Equal(t, "object", union.Type)
	require.Len(t, union.AnyOf, 2)
	return union.AnyOf
}

func TestBuild_DryRunResultIsOneOfTwoObjects(t *testing.T) {
	t.Parallel()
	d := build(t, dry[noteInput, person, countData]()).Document()
	branches := anyOf(t, d.OutputSchema)
	assert.Equal(t, []any{"dryRun"}, branches[1]["required"], "of a preview nothing else is required")
	assert.Contains(t, branches[1]["properties"], "recipients")
	assert.NotContains(t, branches[1]["properties"], "dryRunToken", "no dry run is required")
	// Both branches refer to person, each to its own definition.
	assert.Contains(t, string(d.OutputSchema), `{"$ref":"#/anyOf/0"}`)
	assert.Contains(t, string(d.OutputSchema), `"#/anyOf/1/$defs/`)
	assert.NotContains(t, string(d.OutputSchema), `"#/$defs/`)
}

// A recursive type does not contain the members that are added to its root.
func TestBuild_DryRunLeavesRecursiveTypesAsTheyAre(t *testing.T) {
	t.Parallel()
	d := build(t, dry[person, noteOutput, person]()).Document()
	assert.Contains(t, string(d.InputSchema), `"knows":{"items":{"$ref":"#/$defs/root"}`)
	assert.NotContains(t, string(d.InputSchema), `{"$ref":"#"}`)
	assert.Equal(t, 1, strings.Count(string(d.InputSchema), `"dryRun":`))
	assert.Contains(t, string(d.OutputSchema), `"knows":{"items":{"$ref":"#/anyOf/1/$defs/root"}`)
}

func TestBuild_DryRunOfAToolWithoutOutput(t *testing.T) {
	t.Parallel()
	branches := anyOf(t, build(t, dry[noteInput, struct{}, struct{}]()).Document().OutputSchema)
	assert.Equal(t, map[string]any{"type": "object", "additionalProperties": false}, map[string]any{
		"type": branches[0]["type"], "additionalProperties": branches[0]["additionalProperties"],
	})
}

func TestBuild_RestrictedPreviewPublishesOnlyExposedFields(t *testing.T) {
	t.Parallel()
	branches := anyOf(t, build(t, dry[noteInput, struct{}, exposedData]().Risk(risk.Restricted)).Document().OutputSchema)
	assert.Contains(t, branches[1]["properties"], "recipients")
	assert.NotContains(t, branches[1]["properties"], "query")
}

func TestNeedsPrincipal_WhereADryRunIsRequired(t *testing.T) {
	t.Parallel()
	required := reading().DryRun(previewAs[noteInput, countData]().Required())
	supported := reading().DryRun(previewAs[noteInput, countData]())
	assert.True(t, build(t, required).Document().NeedsPrincipal())
	assert.False(t, build(t, supported).Document().NeedsPrincipal())
}
