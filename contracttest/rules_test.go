package contracttest_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type (
	bareIn struct {
		Text string `json:"text"`
		Deep []struct {
			Leaf string `json:"a/b"`
		} `json:"deep" jsonschema:"description=Said."`
	}
	looseIn struct {
		Any  any            `json:"any" jsonschema:"description=Said."`
		Map  map[string]any `json:"map" jsonschema:"description=Said."`
		List []any          `json:"list" jsonschema:"description=Said."`
		Text string         `json:"text" jsonschema:"description=Said."`
		Size map[string]int `json:"size" jsonschema:"description=Said."`
	}
	listIn struct {
		To []string `json:"to" jsonschema:"description=Said."`
	}
	oneIn struct {
		To []string `json:"to" jsonschema:"description=Said.,maxItems=1"`
	}
	looseOut struct {
		Any any `json:"any"`
	}
)

func previews[In any](context.Context, In) (dryrun.Preview[struct{}], error) {
	return dryrun.Preview[struct{}]{}, nil
}

func withEffect(change func(*contract.SideEffect)) contract.SideEffect {
	e := internalEffect()
	change(&e)
	return e
}

// sending returns a contract whose calls leave the system.
func sending(name string) *noteBuilder {
	return write(base[noteIn, noteOut](name)).SideEffects(withEffect(func(e *contract.SideEffect) { e.Reach = contract.External }))
}

// A ruleCase has tools that break one rule, and similar tools that do not.
type ruleCase struct {
	rule string
	bad  []buildable
	at   []string // the places of the findings
	good []buildable
}

var long = "notes." + strings.Repeat("a", 59)

func ruleCases() []ruleCase {
	managed := contract.Idempotency{Mode: idempotency.Managed}
	return []ruleCase{
		{
			rule: "serve.refused",
			bad:  []buildable{writing("notes.write").SideEffects(slices.Repeat([]contract.SideEffect{internalEffect()}, 400)...)},
			at:   []string{"notes.write contract"},
			good: []buildable{writing("notes.write")},
		},
		{
			rule: "name.duplicate",
			bad:  []buildable{reading("notes.read"), reading("notes.read")}, at: []string{"notes.read name", "notes.read name"},
			good: []buildable{reading("notes.read"), reading("notes.list")},
		},
		{
			rule: "name.length",
			bad:  []buildable{reading(long)}, at: []string{long + " name"},
			good: []buildable{reading(long[:64]), reading(long).Risk(risk.Forbidden)},
		},
		{
			rule: "name.dots",
			bad:  []buildable{reading("notes.read"), reading("notes.list")}, at: []string{" name"},
			good: []buildable{reading("notes_read").FlatName(), reading("notes.read").Risk(risk.Forbidden)},
		},
		{
			rule: "name.collision",
			bad:  []buildable{reading("notes.read_all"), reading("notes.read.all")}, at: []string{"notes.read.all name",
				"notes.read_all name"},
			good: []buildable{reading("notes.read").Aliases("notes_read"), reading("notes.readall")},
		},
		{
			rule: "name.collision",
			bad:  []buildable{reading("notes.read"), reading("notes.list").Aliases("notes_read")}, at: []string{"notes.read name"},
			good: []buildable{reading("a.b_c").Risk(risk.Forbidden), reading("a_b.c")},
		},
		{
			rule: "trifecta.unconfirmed",
			bad: []buildable{reading("web.fetch").Trust(trust.Untrusted), reading("mail.list").Trust(trust.Sensitive),
				reading("web.post").Sends()}, at: []string{" confirmation"},
			good: []buildable{reading("web.fetch").Trust(trust.Untrusted), reading("mail.list").Trust(trust.Sensitive),
				reading("web.post").Sends().ConfirmAlways()},
		},
		{
			rule: "trifecta.unconfirmed",
			bad:  []buildable{reading("web.browse").Trust(trust.Untrusted).Reads(contract.PrivateData).Sends()},
			at:   []string{" confirmation"},
			good: []buildable{reading("web.fetch").Trust(trust.Untrusted).Sends(),
				reading("mail.list").Trust(trust.Sensitive).Risk(risk.Forbidden)},
		},
		{
			rule: "name.domain",
			bad:  []buildable{reading("notes_read").FlatName(), reading("notes_list").FlatName()}, at: []string{" name"},
			good: []buildable{reading("notes.read")},
		},
		{
			rule: "alias.shadow",
			bad:  []buildable{reading("notes.read").Aliases("notes.list"), reading("notes.list")}, at: []string{"notes.read aliases/0"},
			good: []buildable{reading("notes.read").Aliases("notes.read", "notes.show"), reading("notes.list")},
		},
		{
			rule: "alias.shadow",
			bad:  []buildable{reading("notes.read").Aliases("notes.old", "notes.show"), reading("notes.list").Aliases("notes.show")},
			at:   []string{"notes.list aliases/0", "notes.read aliases/1"},
			good: []buildable{reading("notes.read").Aliases("notes.show"), reading("notes.list").Aliases("notes.shown")},
		},
		{
			rule: "title.missing",
			bad:  []buildable{reading("notes.read").Title("  ")}, at: []string{"notes.read title"},
			good: []buildable{reading("notes.read"), reading("notes.key").Title("").Risk(risk.Forbidden)},
		},
		{
			rule: "deprecated.future",
			bad:  []buildable{reading("notes.read").Deprecated(contract.Deprecation{Since: "1.10.0"})},
			at:   []string{"notes.read deprecated/since"},
			good: []buildable{reading("notes.read").Deprecated(contract.Deprecation{Since: "1.1.0"}), reading("notes.list")},
		},
		{
			rule: "deprecated.successor",
			bad:  []buildable{reading("notes.read").Deprecated(contract.Deprecation{Since: "1.0.0", Note: " "})},
			at:   []string{"notes.read deprecated"},
			good: []buildable{
				reading("notes.read").Deprecated(contract.Deprecation{Since: "1.0.0", Note: "Nothing replaces it."}),
				reading("notes.list").Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "books.list"}),
			},
		},
		{
			rule: "deprecated.replacement",
			bad: []buildable{
				reading("notes.a").Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "notes.b"}),
				reading("notes.b").Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "notes.b"}),
				reading("notes.c").Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "notes.d"}),
				reading("notes.d").Risk(risk.Forbidden),
			},
			at: []string{"notes.a deprecated/replacedBy", "notes.b deprecated/replacedBy", "notes.c deprecated/replacedBy"},
			good: []buildable{
				reading("notes.a").Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "notes.b"}), reading("notes.b"),
				reading("notes.c").Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "books.read"}),
			},
		},
		{
			rule: "hints.explicit",
			bad:  []buildable{writing("notes.write").SideEffects(contract.SideEffect{Description: "Another."})},
			at:   []string{"notes.write sideEffects/1/reach", "notes.write sideEffects/1/undo"},
			good: []buildable{writing("notes.write")},
		},
		{
			rule: "effect.verb",
			bad:  []buildable{reading("notes.Delete-all")}, at: []string{"notes.Delete-all effect"},
			good: []buildable{writing("notes.delete"), reading("delete.list"), reading("notes.deleted"), reading("calc.add")},
		},
		{
			rule: "risk.external",
			bad: []buildable{writing("notes.write").SideEffects(withEffect(func(e *contract.SideEffect) {
				e.Reach,
					e.Undo = contract.External, contract.Irreversible
			}))},
			at: []string{"notes.write sideEffects/1"},
			good: []buildable{
				writing("notes.write").SideEffects(withEffect(func(e *contract.SideEffect) { e.Reach = contract.External })),
				writing("notes.shred").SideEffects(withEffect(func(e *contract.SideEffect) { e.Undo = contract.Irreversible })),
				critical[noteIn](),
			},
		},
		{
			rule: "trust.undeclared",
			bad: []buildable{
				contract.New("notes.read", does[noteIn, noteOut]).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly),
			},
			at:   []string{"notes.read contentTrust"},
			good: []buildable{reading("notes.read").Trust(trust.PromptInjectionProne)},
		},
		{
			rule: "permissions.undeclared",
			bad:  []buildable{base[noteIn, noteOut]("notes.read").Effect(risk.ReadOnly)}, at: []string{"notes.read permissions"},
			good: []buildable{reading("notes.read"),
				base[noteIn, noteOut]("calc.add").Effect(risk.ReadOnly).NoPermissions("It computes.")},
		},
		{
			rule: "confirmation.waived",
			bad:  []buildable{writing("notes.write").Effect(risk.HighRiskWrite).ConfirmNever("Undone by a click.")},
			at:   []string{"notes.write confirmation"},
			good: []buildable{writing("notes.write"), writing("notes.move").Effect(risk.HighRiskWrite)},
		},
		{
			rule: "stepUp.critical",
			bad:  []buildable{critical[noteIn]()}, at: []string{"notes.publish stepUp"},
			good: []buildable{critical[noteIn]().StepUp(contract.StepUp{ACR: "mfa"}), writing("notes.write")},
		},
		{
			rule: "sideEffects.missing",
			bad:  []buildable{write(base[noteIn, noteOut]("notes.write"))}, at: []string{"notes.write sideEffects"},
			good: []buildable{writing("notes.write"), reading("notes.read")},
		},
		{
			rule: "sideEffects.onRepeat",
			bad:  []buildable{writing("notes.write").SideEffects(withEffect(func(e *contract.SideEffect) { e.OnRepeat = " " }))},
			at:   []string{"notes.write sideEffects/1/onRepeat"},
			good: []buildable{
				writing("notes.write"),
				writing("notes.set").SideEffects(withEffect(func(e *contract.SideEffect) { e.OnRepeat = "" })).
					Idempotency(contract.Idempotency{Mode: idempotency.Native}),
				writing("notes.put").SideEffects(withEffect(func(e *contract.SideEffect) { e.OnRepeat = "" })).
					Idempotency(contract.Idempotency{Mode: idempotency.Managed}),
			},
		},
		{
			rule: "idempotency.none",
			bad:  []buildable{writing("notes.write")}, at: []string{"notes.write idempotency"},
			good: []buildable{reading("notes.read"), writing("notes.write").Idempotency(contract.Idempotency{Mode: idempotency.Managed}),
				writing("notes.add").Idempotency(contract.Idempotency{Mode: idempotency.Keyed}),
				writing("notes.put").Idempotency(contract.Idempotency{Mode: idempotency.Keyed, KeyRequired: true})},
		},
		{
			rule: "reconcile.missing",
			bad: []buildable{
				critical[noteIn]().Idempotency(managed), sending("notes.send").Idempotency(managed),
				sending("notes.mail").Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}),
				write(base[noteIn, noteOut]("notes.erase")).Effect(risk.Destructive).SideEffects(internalEffect()).Idempotency(managed),
			},
			at: []string{"notes.erase reconcile", "notes.mail reconcile", "notes.publish reconcile", "notes.send reconcile"},
			good: []buildable{
				writing("notes.write").Idempotency(managed),
				critical[noteIn](), critical[noteIn]().Idempotency(contract.Idempotency{Mode: idempotency.Native}),
				critical[noteIn]().Idempotency(contract.Idempotency{Mode: idempotency.Keyed}),
				critical[noteIn]().Idempotency(contract.Idempotency{Mode: idempotency.Managed, Atomic: true}),
				critical[noteIn]().Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}).Reconcile(
					func(context.Context, noteIn, time.Time) (contract.Reconciled[noteOut], error) {
						return contract.DidNotHappen[noteOut](), nil
					}, contract.Reconciling{}),
				reading("notes.read").Idempotency(managed),
			},
		},
		{
			rule: "dryRun.bulk",
			bad:  []buildable{critical[listIn]()}, at: []string{"notes.publish inputSchema/properties/to"},
			good: []buildable{critical[oneIn](), critical[listIn]().DryRun(dryrun.By(previews[listIn])),
				write(base[listIn, noteOut]("notes.write"))},
		},
		{
			rule: "dryRun.critical",
			bad:  []buildable{critical[oneIn]()}, at: []string{"notes.publish dryRun"},
			good: []buildable{critical[oneIn]().DryRun(dryrun.By(previews[oneIn]).Required()), writing("notes.write")},
		},
		{
			rule: "failures.missing",
			bad: []buildable{
				base[noteIn, noteOut]("notes.none").Effect(risk.LowRiskWrite).Permissions("p").SideEffects(internalEffect()),
				base[noteIn, noteOut]("notes.generic").Effect(risk.LowRiskWrite).Permissions("p").SideEffects(internalEffect()).OtherErrors(
					contract.ClassFatal),
			},
			at:   []string{"notes.generic failureModes", "notes.none failureModes"},
			good: []buildable{writing("notes.write").OtherErrors(contract.ClassRetryable), reading("notes.read")},
		},
		{
			rule: "timeout.missing",
			bad: []buildable{
				base[noteIn, noteOut]("notes.publish").Effect(risk.PaidOperation).Permissions("p").SideEffects(internalEffect()),
				base[noteIn, noteOut]("notes.push").Effect(risk.LowRiskWrite).Permissions("p").
					SideEffects(withEffect(func(e *contract.SideEffect) { e.Reach = 0 })),
				base[noteIn, noteOut]("notes.write").Effect(risk.LowRiskWrite).Permissions("p"),
			},
			at: []string{"notes.publish timeoutMs", "notes.push timeoutMs", "notes.write timeoutMs"},
			good: []buildable{
				critical[noteIn](), reading("notes.read"),
				base[noteIn, noteOut]("notes.write").Effect(risk.LowRiskWrite).Permissions("p").SideEffects(internalEffect()),
			},
		},
		{
			rule: "input.undocumented",
			bad:  []buildable{base[bareIn, noteOut]("notes.read").Effect(risk.ReadOnly)},
			at:   []string{"notes.read inputSchema/properties/deep/items/properties/a~1b", "notes.read inputSchema/properties/text"},
			good: []buildable{reading("notes.read"), base[struct{}, bareIn]("notes.list").Effect(risk.ReadOnly)},
		},
		{
			rule: "input.open",
			bad: []buildable{base[map[string]any, noteOut]("notes.read").Effect(risk.ReadOnly).InputSchema(json.RawMessage(
				`{"type":"object","properties":{"text":{"type":"string","description":"Said."}}}`))},
			at:   []string{"notes.read inputSchema"},
			good: []buildable{reading("notes.read")},
		},
		{
			rule: "patterns.unchecked",
			bad: []buildable{reading("notes.read").UncheckedPatterns().
				InputSchema(json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","description":"Said.",` +
					`"pattern":"^(?!x)"}},"additionalProperties":false}`))},
			at:   []string{"notes.read inputSchema/properties/text"},
			good: []buildable{reading("notes.read").UncheckedPatterns()},
		},
		{
			rule: "keywords.unknown",
			bad: []buildable{wrappedRead(`{"type":"object","properties":{"text":{"type":"string","description":"Said.","maxLenght":3}}` +
				`,"additionalProperties":false,"exmaples":[]}`)},
			at: []string{"notes.read inputSchema/exmaples", "notes.read inputSchema/properties/text/maxLenght"},
			good: []buildable{wrappedRead(`{"type":"object","properties":{"text":{"type":"string","description":"Said.",` +
				`"nullable":true}},"additionalProperties":false,"x-own":1}`)},
		},
		{
			rule: "input.untyped",
			bad: []buildable{base[looseIn, noteOut]("notes.read").Effect(risk.ReadOnly),
				base[map[string]any, noteOut]("notes.raw").Effect(risk.ReadOnly)},
			at: []string{
				"notes.raw inputSchema", "notes.read inputSchema/properties/any",
				"notes.read inputSchema/properties/list", "notes.read inputSchema/properties/map",
			},
			good: []buildable{reading("notes.read"), base[struct{}, noteOut]("notes.list").Effect(risk.ReadOnly)},
		},
		{
			rule: "output.untyped",
			bad:  []buildable{base[noteIn, string]("notes.read").Effect(risk.ReadOnly)}, at: []string{"notes.read outputSchema"},
			good: []buildable{reading("notes.read"), write(base[noteIn, struct{}]("notes.write")),
				base[noteIn, json.RawMessage]("notes.raw").Effect(risk.ReadOnly)},
		},
		{
			rule: "output.unchecked",
			bad: []buildable{base[noteIn, json.RawMessage]("notes.list").Effect(risk.ReadOnly),
				base[noteIn, json.RawMessage]("notes.raw").Effect(risk.ReadOnly)},
			at: []string{" outputSchema"},
			good: []buildable{
				base[noteIn, string]("notes.read").Effect(risk.ReadOnly),
				base[noteIn, json.RawMessage]("notes.raw").Effect(risk.ReadOnly).OutputSchema(
					json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}`)),
			},
		},
		{
			rule: "output.blob",
			bad:  []buildable{base[noteIn, looseOut]("notes.read").Effect(risk.ReadOnly)},
			at:   []string{"notes.read outputSchema/properties/any"},
			good: []buildable{reading("notes.read"), base[looseIn, noteOut]("notes.list").Effect(risk.ReadOnly)},
		},
		{
			rule: "cost.tokens",
			bad:  []buildable{reading("notes.read").Description(strings.Repeat("Reads. ", 1200))}, at: []string{"notes.read "},
			good: []buildable{reading("notes.read").Description(strings.Repeat("Reads. ", 900)),
				reading("notes.key").Description(strings.Repeat("Reads. ", 1200)).Risk(risk.Forbidden)},
		},
	}
}

func TestInspect_FindsBrokenRulesAndNothingElse(t *testing.T) {
	t.Parallel()
	cases := ruleCases()
	for _, tt := range cases {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			bad := contracttest.Inspect(build(t, tt.bad...)...)
			assert.Equal(t, tt.at, places(bad, tt.rule))
			assert.Empty(t, places(contracttest.Inspect(build(t, tt.good...)...), tt.rule),
				"the closest valid contract does not break the rule")
		})
	}
	covered := map[string]bool{"tools.none": true, "tool.nil": true, "accept.reason": true, "accept.stale": true}
	for _, tt := range cases {
		covered[tt.rule] = true
	}
	for _, r := range contracttest.Demands() {
		assert.True(t, covered[r.ID], "the rule %s has no case", r.ID)
	}
}

func TestRules_AreCompleteAndStable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range contract.BuildRules() {
		seen[r.ID] = true
	}
	var clauses map[string]json.RawMessage
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	file, err := os.ReadFile("../contract/contract.schema.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(file, &schema))
	clauses = schema.Properties
	for _, r := range contracttest.Demands() {
		assert.False(t, seen[r.ID], "%s is there twice, or is a rule of Build", r.ID)
		seen[r.ID] = true
		assert.Contains(t, []contracttest.Severity{contracttest.Error, contracttest.Warning, contracttest.Info}, r.Severity, r.ID)
		assert.NotEmpty(t, r.Summary, r.ID)
		assert.NotEmpty(t, r.Remedy, r.ID)
		if r.Clause != "" {
			assert.Contains(t, clauses, r.Clause, r.ID)
		}
	}
	contracttest.Demands()[0].ID = "changed"
	assert.NotEqual(t, "changed", contracttest.Demands()[0].ID, "the slice is the caller's")
}

func TestInspect_FollowsReferencesToTheDescriptionOfAField(t *testing.T) {
	t.Parallel()
	tool := build(t, base[map[string]any, noteOut]("notes.read").Effect(risk.ReadOnly).InputSchema(json.RawMessage(`{
		"type": "object",
		"$defs": {"id": {"$ref": "#/$defs/word"}, "word": {"type": "string", "description": "Said."},
			"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
		"properties": {"a": {"$ref": "#/$defs/id"}, "b": {"$ref": "#/$defs/id", "description": " "}, "node": {"$ref": "#/$defs/node", "description": "Said."},
			"choice": {"description": "Said.", "anyOf": [{"type": "object", "properties": {"bare": true}}]}}
	}`)))
	r := contracttest.Inspect(tool...)
	assert.Equal(t, []string{
		"notes.read inputSchema/$defs/node/properties/next",
		"notes.read inputSchema/properties/b",
		"notes.read inputSchema/properties/choice/anyOf/0/properties/bare",
	}, places(r, "input.undocumented"))
	assert.Equal(t, []string{"notes.read inputSchema/properties/choice/anyOf/0/properties/bare"}, places(r, "input.untyped"))
}

func TestRules_AreInThePackageDocWithTheirSeverity(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	severities := map[string]string{}
	severity := ""
	for line := range strings.Lines(string(data)) {
		row, ok := strings.CutPrefix(line, "//\t")
		if !ok || !strings.Contains(row, ".") {
			continue
		}
		if word, _, _ := strings.Cut(row, " "); word != "" {
			severity = word
		}
		row = strings.TrimSpace(strings.TrimPrefix(row, severity))
		for _, id := range ruleIDs.FindAllString(strings.Split(row, "  ")[0], -1) {
			severities[id] = severity
		}
	}
	for _, r := range contracttest.Demands() {
		assert.Equal(t, string(r.Severity), severities[r.ID], r.ID)
	}
}

var ruleIDs = regexp.MustCompile(`\b[a-zA-Z]+\.[a-zA-Z]+\b`)

// wrappedRead returns a wrapped tool with an input schema.
func wrappedRead(schema string) buildable {
	b := adapter.Wrap(adapter.Definition{Name: "notes.read", Title: "Note", Description: "Reads.",
		InputSchema:  json.RawMessage(schema),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}`)},
		func(context.Context, adapter.HandlerCall) (*adapter.HandlerResult, error) {
			return &adapter.HandlerResult{}, nil
		},
		adapter.WrapConfig{})
	return b.Version("1.1.0").Trust(trust.Trusted).Effect(risk.ReadOnly).Permissions("notes:read")
}
