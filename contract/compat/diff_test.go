package compat_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type change = func(d *contract.Document)

// managed is a clause with everything said.
func managed(edit func(i *contract.Idempotency)) change {
	return func(d *contract.Document) {
		d.Idempotency = &contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}, RetentionSeconds: 60, OnUnknown: idempotency.Refuse}
		if edit != nil {
			edit(d.Idempotency)
		}
	}
}

func stepUp(age int64, acr string) change {
	return func(d *contract.Document) { d.StepUp = &contract.StepUp{MaxAgeSeconds: age, ACR: acr} }
}

func effects(list ...contract.SideEffect) change {
	return func(d *contract.Document) { d.SideEffects = list }
}

func fails(class contract.Class, effectPossible bool) change {
	return func(d *contract.Document) {
		d.FailureModes = append([]contract.FailureMode{{Code: "full", Class: class, Description: "It is full.", By: contract.ByTool, EffectPossible: effectPossible}}, d.FailureModes...)
	}
}

func rate(calls int, seconds int64) change {
	return func(d *contract.Document) { d.RateLimit = &contract.RateLimit{Calls: calls, PerSeconds: seconds} }
}

func totalRate(calls int, seconds int64) change {
	return func(d *contract.Document) { d.TotalRateLimit = &contract.RateLimit{Calls: calls, PerSeconds: seconds} }
}

// clauseCase turns one contract into two; nil leaves it as it is.
type clauseCase struct {
	rule     string
	old, now change
}

func clauseCases() []clauseCase {
	inside := contract.SideEffect{Description: "It is kept.", Reach: contract.Internal, Undo: contract.Reversible}
	outside := contract.SideEffect{Description: "It is kept.", Reach: contract.External, Undo: contract.Reversible}
	final := contract.SideEffect{Description: "It is kept.", Reach: contract.Internal, Undo: contract.Irreversible}
	reads := func(d *contract.Document) { d.Effect = risk.ReadOnly }
	return []clauseCase{
		{"format.changed", nil, func(d *contract.Document) { d.Format = 2 }},
		{"name.changed", nil, func(d *contract.Document) { d.Name, d.Aliases = "notes.put", []string{"notes.write"} }},
		{"name.replaced", nil, func(d *contract.Document) { d.Name = "notes.put" }},
		{"title.changed", nil, func(d *contract.Document) { d.Title = "Note" }},
		{"description.changed", nil, func(d *contract.Document) { d.Description = "Other." }},
		{"category.changed", nil, func(d *contract.Document) { d.Category = "notes" }},
		{"metadata.changed", nil, func(d *contract.Document) { d.Metadata = map[string]any{"team": "x"} }},
		{"version.changed", nil, func(d *contract.Document) { d.Version = "1.0.1" }},
		{"deprecated.added", nil, func(d *contract.Document) { d.Deprecated = &contract.Deprecation{Since: "1.0.0"} }},
		{"deprecated.removed", func(d *contract.Document) { d.Deprecated = &contract.Deprecation{Since: "1.0.0"} }, nil},
		{"deprecated.changed", func(d *contract.Document) { d.Deprecated = &contract.Deprecation{Since: "1.0.0"} }, func(d *contract.Document) { d.Deprecated = &contract.Deprecation{Since: "1.0.0", Note: "x"} }},
		{"alias.added", nil, func(d *contract.Document) { d.Aliases = []string{"notes.old"} }},
		{"alias.removed", func(d *contract.Document) { d.Aliases = []string{"notes.old"} }, nil},

		{"risk.raised", nil, func(d *contract.Document) { d.Risk = risk.High }},
		{"risk.forbidden", nil, func(d *contract.Document) { d.Risk = risk.Forbidden }},
		{"risk.lowered", nil, func(d *contract.Document) { d.Risk = risk.Low }},
		{"effect.graver", nil, func(d *contract.Document) { d.Effect = risk.Destructive }},
		{"effect.milder", nil, reads},
		{"principal.demanded", func(d *contract.Document) { d.Permissions = nil }, nil},
		{"principal.waived", nil, func(d *contract.Document) { d.Permissions = nil }},
		{"securityLevel.raised", nil, func(d *contract.Document) { d.SecurityLevel = 4 }},
		{"securityLevel.adjusted", func(d *contract.Document) { d.SecurityLevel = 4 }, func(d *contract.Document) { d.SecurityLevel = 7 }},
		{"securityLevel.lowered", func(d *contract.Document) { d.SecurityLevel = 7 }, func(d *contract.Document) { d.SecurityLevel = 4 }},
		{"contentTrust.stricter", nil, func(d *contract.Document) { d.ContentTrust = trust.Untrusted }},
		{"contentTrust.weaker", func(d *contract.Document) { d.ContentTrust = trust.Undeclared }, nil},
		{"contentTrust.other", func(d *contract.Document) { d.ContentTrust = trust.Sensitive }, func(d *contract.Document) { d.ContentTrust = trust.Untrusted }},

		{"confirmation.raised", nil, func(d *contract.Document) { d.Confirmation = contract.ConfirmationWhen }},
		{"confirmation.lowered", func(d *contract.Document) { d.Confirmation = contract.ConfirmationAlways }, nil},
		{"confirmationReason.changed", nil, func(d *contract.Document) { d.ConfirmationReason = "It is undone." }},
		{"autonomous.granted", func(d *contract.Document) { d.Autonomous = false }, nil},
		{"autonomous.revoked", nil, func(d *contract.Document) { d.Autonomous = false }},
		{"stepUp.added", nil, stepUp(60, "")},
		{"stepUp.removed", stepUp(60, ""), nil},
		{"stepUp.stricter", stepUp(60, ""), stepUp(30, "")},
		{"stepUp.stricter", stepUp(60, ""), stepUp(60, "silver")},
		{"stepUp.stricter", stepUp(0, "silver"), stepUp(60, "silver")},
		{"stepUp.looser", stepUp(60, "gold"), stepUp(0, "gold")},
		{"stepUp.looser", stepUp(60, "gold"), stepUp(60, "")},
		{"stepUp.acr", stepUp(60, "gold"), stepUp(60, "silver")},
		{"stepUp.when", stepUp(60, ""), func(d *contract.Document) { d.StepUp = &contract.StepUp{When: "At night.", MaxAgeSeconds: 60} }},

		{"permission.added", nil, func(d *contract.Document) { d.Permissions = []string{"notes:write", "x"} }},
		{"permission.removed", func(d *contract.Document) { d.Permissions = []string{"notes:write", "x"} }, nil},
		{"noPermissions.changed", nil, func(d *contract.Document) { d.NoPermissions = "None." }},
		{"discoverWith.narrowed", func(d *contract.Document) { d.Permissions, d.DiscoverWith = []string{"a", "b"}, []string{"a"} }, func(d *contract.Document) { d.Permissions = []string{"a", "b"} }},
		{"discoverWith.widened", func(d *contract.Document) { d.Permissions = []string{"a", "b"} }, func(d *contract.Document) { d.Permissions, d.DiscoverWith = []string{"a", "b"}, []string{"a"} }},

		{"sideEffect.added", effects(inside), effects(inside, contract.SideEffect{Description: "More."})},
		{"sideEffect.removed", effects(inside, final), effects(final)},
		{"sideEffects.declared", nil, effects(contract.SideEffect{Description: "It is sent."})},
		{"sideEffects.undeclared", effects(inside), nil},
		{"sideEffect.reachGraver", effects(inside), effects(outside)},
		{"sideEffect.reachMilder", effects(outside), effects(inside)},
		{"sideEffect.reachMilder", nil, effects(final)},
		{"sideEffect.undoGraver", effects(inside), effects(final)},
		{"sideEffect.undoMilder", effects(final), effects(inside)},
		{"sideEffect.undoMilder", nil, effects(outside)},
		{"sideEffect.text", effects(inside), func(d *contract.Document) {
			e := inside
			e.OnRepeat = "Again."
			d.SideEffects = []contract.SideEffect{e}
		}},

		{"idempotency.added", nil, func(d *contract.Document) { d.Idempotency = &contract.Idempotency{Mode: idempotency.Native} }},
		{"idempotency.removed", managed(nil), nil},
		{"idempotency.managed", func(d *contract.Document) { d.Idempotency = &contract.Idempotency{Mode: idempotency.Native} }, managed(nil)},
		{"idempotency.native", managed(nil), func(d *contract.Document) { d.Idempotency = &contract.Idempotency{Mode: idempotency.Native} }},
		{"idempotency.key", managed(nil), managed(func(i *contract.Idempotency) { i.KeyFields = []string{"copy"} })},
		{"idempotency.key", managed(nil), managed(func(i *contract.Idempotency) { i.ClientKey = true })},
		{"idempotency.retentionShorter", managed(nil), managed(func(i *contract.Idempotency) { i.RetentionSeconds = 30 })},
		{"idempotency.retentionLonger", managed(nil), managed(func(i *contract.Idempotency) { i.RetentionSeconds = 90 })},
		{"idempotency.refuses", managed(func(i *contract.Idempotency) { i.OnUnknown = idempotency.Rerun }), managed(nil)},
		{"idempotency.reruns", managed(nil), managed(func(i *contract.Idempotency) { i.OnUnknown = idempotency.Rerun })},

		{"dryRun.added", nil, func(d *contract.Document) { d.DryRun = dryrun.Supported }},
		{"dryRun.required", nil, func(d *contract.Document) { d.DryRun = dryrun.Required }},
		{"dryRun.relaxed", func(d *contract.Document) { d.DryRun = dryrun.Required }, func(d *contract.Document) { d.DryRun = dryrun.Supported }},
		{"dryRun.removed", func(d *contract.Document) { d.DryRun = dryrun.Supported }, nil},
		{"auditEvent.changed", nil, func(d *contract.Document) { d.AuditEvent = "note.kept" }},

		{"failure.added", nil, fails(contract.ClassFatal, false)},
		{"failure.removed", fails(contract.ClassFatal, false), nil},
		{"failure.nowFatal", fails(contract.ClassRetryable, false), fails(contract.ClassFatal, false)},
		{"failure.nowRetryable", fails(contract.ClassFatal, false), fails(contract.ClassRetryable, false)},
		{"failure.effectPossible", fails(contract.ClassFatal, false), fails(contract.ClassFatal, true)},
		{"failure.effectImpossible", fails(contract.ClassFatal, true), fails(contract.ClassFatal, false)},
		{"failure.by", nil, func(d *contract.Document) { d.FailureModes[0].By = contract.ByTool }},
		{"failure.text", fails(contract.ClassFatal, false), func(d *contract.Document) {
			fails(contract.ClassFatal, false)(d)
			d.FailureModes[0].Description = "Full."
		}},
		{"failures.guard", nil, func(d *contract.Document) { d.FailureModes = d.FailureModes[1:] }},
		{"failures.guard", nil, func(d *contract.Document) { d.FailureModes[0].Description = "Other words." }},

		{"rateLimit.lower", rate(10, 60), rate(9, 60)},
		{"rateLimit.lower", rate(10, 60), rate(19, 120)},
		{"rateLimit.higher", rate(10, 60), rate(20, 120)},
		{"rateLimit.higher", rate(10, 60), rate(10, 30)},
		{"rateLimit.lower", rate(10, 60), rate(9, 1)},
		{"rateLimit.lower", rate(10, 60), rate(1000, 6001)},
		{"rateLimit.higher", rate(10, 60), rate(1000, 6000)},
		{"rateLimit.higher", rate(10, 60), rate(16, 90)},
		{"rateLimit.higher", rate(math.MaxInt-1, math.MaxInt64), rate(math.MaxInt, math.MaxInt64)},
		{"rateLimit.lower", rate(math.MaxInt, math.MaxInt64-1), rate(math.MaxInt, math.MaxInt64)},
		{"rateLimit.declared", nil, rate(1000, 1)},
		{"rateLimit.declared", rate(1000, 1), nil},
		{"totalRateLimit.lower", nil, totalRate(1000, 1)},
		{"totalRateLimit.lower", totalRate(100, 60), totalRate(100, 61)},
		{"totalRateLimit.lower", totalRate(100, 60), totalRate(99, 1)},
		{"totalRateLimit.higher", totalRate(100, 60), totalRate(101, 60)},
		{"totalRateLimit.higher", totalRate(1000, 1), nil},
		{"timeout.shorter", nil, func(d *contract.Document) { d.TimeoutMs = 10 }},
		{"timeout.longer", func(d *contract.Document) { d.TimeoutMs = 10 }, func(d *contract.Document) { d.TimeoutMs = 20 }},
		{"cancellable.changed", nil, func(d *contract.Document) { d.Cancellable = true }},
		{"cancellable.ofRead", reads, func(d *contract.Document) { d.Effect, d.Cancellable = risk.ReadOnly, true }},
		{"maxConcurrent.lower", nil, func(d *contract.Document) { d.MaxConcurrent = 2 }},
		{"maxConcurrent.higher", func(d *contract.Document) { d.MaxConcurrent = 2 }, nil},
		{"maxResultBytes.smaller", nil, func(d *contract.Document) { d.MaxResultBytes = 10 }},
		{"maxResultBytes.larger", nil, func(d *contract.Document) { d.MaxResultBytes = contract.DefaultMaxResultBytes + 1 }},
		{"maxArgumentBytes.smaller", nil, func(d *contract.Document) { d.MaxArgumentBytes = 10 }},
		{"maxArgumentBytes.larger", nil, func(d *contract.Document) { d.MaxArgumentBytes = contract.DefaultMaxArgumentBytes + 1 }},

		{"default.stated", nil, func(d *contract.Document) { d.Risk = risk.UndeclaredLevel }},
		{"default.stated", nil, func(d *contract.Document) { d.MaxResultBytes = contract.DefaultMaxResultBytes }},
		{"default.stated", nil, func(d *contract.Document) { d.DryRun = dryrun.None }},
		{"default.stated", nil, func(d *contract.Document) { d.DiscoverWith = d.Permissions }},
		{"order.changed", func(d *contract.Document) { d.Permissions = []string{"a", "b"} }, func(d *contract.Document) { d.Permissions = []string{"b", "a"} }},
		{"order.changed", effects(inside, final), effects(final, inside)},
		{"member.unknown", nil, func(d *contract.Document) { d.Unknown = map[string]json.RawMessage{"later": json.RawMessage("1")} }},

		{"inputSchema.presence", nil, func(d *contract.Document) { d.InputSchema = nil }},
		{"outputSchema.added", func(d *contract.Document) { d.OutputSchema = nil }, nil},
		{"outputSchema.removed", nil, func(d *contract.Document) { d.OutputSchema = nil }},
		{"input.default", schemas(`{"type":"object","properties":{"a":{"default":1}}}`), schemas(`{"type":"object","properties":{"a":{"default":2}}}`)},
		{"input.text", schemas(`{"type":"object","title":"a"}`), schemas(`{"type":"object","title":"b"}`)},
		{"output.text", schemas(`{"type":"object","title":"a"}`), schemas(`{"type":"object","title":"b"}`)},
		{"field.protected", schemas(`{"type":"object","properties":{"a":{}}}`), schemas(`{"type":"object","properties":{"a":{"x-review":true}}}`)},
		{"field.protected", schemas(`{"type":"object","properties":{"a":{"x-sensitive":true}}}`), schemas(`{"type":"object","properties":{"a":{"x-secret":true}}}`)},
		{"field.exposed", schemas(`{"type":"object","properties":{"a":{"x-secret":true}}}`), schemas(`{"type":"object","properties":{"a":{"x-sensitive":true}}}`)},
		{"field.exposed", schemas(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"x-sensitive":true}}}`), schemas(`{"type":"object","properties":{"a":{}}}`)},
		{"field.exposed", schemas(`{"type":"object","properties":{"a":{"x-review":true}}}`), schemas(`{"type":"object","properties":{"a":{"x-review":false}}}`)},
		{"input.unknown", schemas(`{"type":"object","properties":{"a":{"pattern":"a"}}}`), schemas(`{"type":"object","properties":{"a":{"pattern":"b"}}}`)},
		{"output.unknown", schemas(`{"type":"object","properties":{"a":{"pattern":"a"}}}`), schemas(`{"type":"object","properties":{"a":{"pattern":"b"}}}`)},
	}
}

func schemas(text string) change {
	return func(d *contract.Document) {
		d.InputSchema, d.OutputSchema = json.RawMessage(text), json.RawMessage(text)
	}
}

// schemaCases are, for each kind, a schema of a member and a narrower one.
var schemaCases = map[string][2]string{
	"type":         {`{"type":["string","null"]}`, `{"type":"string"}`},
	"values":       {`{"enum":["a","b"]}`, `{"enum":["b"]}`},
	"range":        {`{"minimum":0}`, `{"exclusiveMinimum":0}`},
	"length":       {`{"maxLength":5}`, `{"maxLength":4}`},
	"pattern":      {`{}`, `{"pattern":"a"}`},
	"format":       {`{"format":"int32"}`, `{"format":"int16"}`},
	"required":     {`{"required":["a"]}`, `{"required":["b","a"]}`},
	"property":     {`{"properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"properties":{"a":{}},"additionalProperties":false}`},
	"additional":   {`{}`, `{"additionalProperties":false}`},
	"items":        {`{}`, `{"uniqueItems":true}`},
	"alternatives": {`{"anyOf":[{"type":"string"},{"type":"null"},{"type":"integer"}]}`, `{"anyOf":[{"type":"null"},{"type":"string"}]}`},
	"condition":    {`{}`, `{"not":{"type":"null"}}`},
}

func document(t *testing.T, edit change) contract.Document {
	t.Helper()
	d := build(t, writing()).Document()
	if edit != nil {
		edit(&d)
	}
	return d
}

func rulesByID() map[string]compat.Rule {
	byID := map[string]compat.Rule{}
	for _, r := range compat.Rules() {
		byID[r.ID] = r
	}
	return byID
}

// find is the change that a rule made, which is as the table says.
func find(t *testing.T, changes []compat.Change, rule string) compat.Change {
	t.Helper()
	row, ok := rulesByID()[rule]
	require.True(t, ok, "the table has no rule %s", rule)
	for _, c := range changes {
		if c.Rule != rule {
			continue
		}
		assert.Equal(t, row.Class, c.Class)
		assert.Equal(t, row.Downgrade, c.Downgrade)
		assert.Equal(t, row.Unknown, c.Unknown)
		assert.True(t, strings.HasPrefix(c.Reason, row.Reason))
		return c
	}
	require.Failf(t, "no such change", "%s: %v", rule, changes)
	return compat.Change{}
}

func TestDiff_EveryRuleHasACaseAndEveryCaseARule(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"tool.added": true, "tool.removed": true, "tool.retired": true} // see TestDiff_Tools…
	for i, c := range clauseCases() {
		seen[c.rule] = true
		t.Run(fmt.Sprintf("%d_%s", i, c.rule), func(t *testing.T) {
			t.Parallel()
			old, now := document(t, c.old), document(t, c.now)
			find(t, compat.DiffDocuments(old, now), c.rule)
			assert.Empty(t, compat.DiffDocuments(now, now))
		})
	}
	for kind, pair := range schemaCases {
		wide := schemas(`{"type":"object","properties":{"m":` + pair[0] + `}}`)
		narrow := schemas(`{"type":"object","properties":{"m":` + pair[1] + `}}`)
		for _, side := range []string{"input", "output"} {
			narrowed, widened := side+"."+kind+".narrowed", side+"."+kind+".widened"
			seen[narrowed], seen[widened] = true, true
			t.Run(side+"_"+kind, func(t *testing.T) {
				t.Parallel()
				c := find(t, compat.DiffDocuments(document(t, wide), document(t, narrow)), narrowed)
				assert.True(t, strings.HasPrefix(c.Pointer, "/"+side+"Schema/properties/m"))
				find(t, compat.DiffDocuments(document(t, narrow), document(t, wide)), widened)
			})
		}
	}
	for _, r := range compat.Rules() {
		assert.True(t, seen[r.ID], "the rule %s has no case", r.ID)
		assert.NotEmpty(t, r.Summary)
		assert.NotEmpty(t, r.Reason)
		assert.True(t, r.Class.IsValid())
		assert.False(t, r.Unknown && r.Class != compat.Breaking, "what is unknown counts as breaking")
	}
	assert.Len(t, rulesByID(), len(compat.Rules()), "an ID stands once")
}

func snapshot(docs ...contract.Document) compat.Snapshot {
	return compat.Snapshot{Format: compat.SnapshotFormat, Tools: docs}
}

func TestDiff_ToolsThatComeGoAndAreRenamed(t *testing.T) {
	t.Parallel()
	d := document(t, nil)
	find(t, compat.Diff(snapshot(), snapshot(d)), "tool.added")
	find(t, compat.Diff(snapshot(d), snapshot()), "tool.removed")
	retired := document(t, func(d *contract.Document) { d.Deprecated = &contract.Deprecation{Since: "1.0.0"} })
	find(t, compat.Diff(snapshot(retired), snapshot()), "tool.retired")

	renamed := document(t, func(d *contract.Document) {
		d.Name, d.AuditEvent, d.Aliases = "notes.put", "notes.put", []string{"notes.write"}
	})
	changes := compat.Diff(snapshot(d), snapshot(renamed))
	require.Len(t, changes, 1, "an alias keeps the old name, and the default audit event follows")
	assert.Equal(t, "notes.put", changes[0].Tool)
	assert.Equal(t, compat.Additive, find(t, changes, "name.changed").Class)

	gone := document(t, func(d *contract.Document) { d.Name = "notes.put" })
	changes = compat.Diff(snapshot(d), snapshot(gone))
	require.Len(t, changes, 2)
	assert.Equal(t, "tool.added", changes[0].Rule)
	assert.Equal(t, "tool.removed", changes[1].Rule)
}

func TestDiff_AToolUnderItsOldAliasWasRenamed(t *testing.T) {
	t.Parallel()
	old := document(t, func(d *contract.Document) { d.Aliases = []string{"notes.put", "notes.save"} })
	now := document(t, func(d *contract.Document) { d.Name, d.Permissions, d.Version = "notes.save", nil, "1.0.1" })
	changes := compat.Diff(snapshot(old), snapshot(now))
	find(t, changes, "name.replaced")
	find(t, changes, "principal.waived")
	assert.Equal(t, `"notes.put"`, string(find(t, changes, "alias.removed").From), "the other alias is gone")
	errs := compat.CheckVersions(snapshot(old), snapshot(now))
	require.Len(t, errs, 1)
	assert.Equal(t, "2.0.0", errs[0].AtLeast)

	other := document(t, func(d *contract.Document) { d.Name = "notes.save" })
	changes = compat.Diff(snapshot(old, other), snapshot(other))
	require.Len(t, changes, 1, "the alias was another tool's name, which is that tool still")
	find(t, changes, "tool.removed")
}

func TestDiff_SeesWordsAndDefaultsWithinPartsThatAcceptTheSame(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]string{
		"allOf":             `{"type":"object","properties":{"b":{}},"allOf":[{"properties":{"a":%s}}]}`,
		"a reference":       `{"type":"object","properties":{"b":{}},"allOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"properties":{"a":%s}}}}`,
		"oneOf, apart":      `{"type":"object","properties":{"a":{"oneOf":[%s,{"type":"null"}]}}}`,
		"oneOf, not apart":  `{"type":"object","properties":{"a":{"oneOf":[%s,{"minLength":2}]}}}`,
		"anyOf":             `{"type":"object","properties":{"a":{"anyOf":[%s,{"minLength":2}]}}}`,
		"if":                `{"type":"object","properties":{"a":{"if":%s,"then":{"minLength":2}}}}`,
		"then":              `{"type":"object","properties":{"a":{"if":{"type":"string"},"then":%s}}}`,
		"items of an allOf": `{"type":"object","properties":{"a":{"items":{},"allOf":[{"items":%s}]}}}`,
	} {
		// A default is filled in through allOf and references; in alternatives it is a word.
		filled := "input.text"
		if name == "allOf" || name == "a reference" {
			filled = "input.default"
		}
		for member, rule := range map[string]string{"description": "input.text", "default": filled} {
			with := func(value string) contract.Document {
				return document(t, schemas(fmt.Sprintf(of, `{"type":"string","`+member+`":"`+value+`"}`)))
			}
			changes := compat.DiffDocuments(with("x"), with("y"))
			c := find(t, changes, rule)
			assert.True(t, strings.HasSuffix(c.Pointer, "/"+member), "%s: %s", name, c.Pointer)
			assert.Len(t, changes, 2, "%s: one change of the input, one of the output", name)
		}
	}
}

func TestDiff_ADefaultThatMayBeRefusedIsToldOfInputsOnly(t *testing.T) {
	t.Parallel()
	old := document(t, schemas(`{"type":"object","properties":{"a":{}},"additionalProperties":false,"maxProperties":1}`))
	now := document(t, schemas(`{"type":"object","properties":{"a":{},"b":{"default":1}},"additionalProperties":false,"maxProperties":1}`))
	changes := compat.DiffDocuments(old, now)
	assert.Equal(t, "/inputSchema/properties/b/default", find(t, changes, "input.unknown").Pointer)
	assert.NotContains(t, fmt.Sprint(changes), "[output.unknown]", "into results, nothing is filled in")
}

type (
	guardedNote struct {
		Text string `json:"text" contract:"secret,review"`
		Page struct {
			Body string `json:"body" contract:"sensitive"`
		} `json:"page"`
	}
	openNote struct {
		Text string `json:"text" contract:"sensitive"`
		Page struct {
			Body string `json:"body"`
		} `json:"page"`
	}
	sensitiveOutput struct {
		ID string `json:"id" contract:"sensitive"`
	}
)

func TestDiff_ATagThatProtectsAFieldIsPartOfTheContract(t *testing.T) {
	t.Parallel()
	exposed := func(changes []compat.Change) []string {
		var at []string
		for _, c := range changes {
			if c.Rule == "field.exposed" {
				at = append(at, c.Pointer)
			}
		}
		return at
	}
	old, now := build(t, readingOf[guardedNote, noteOutput]()).Document(), build(t, readingOf[openNote, noteOutput]()).Document()
	assert.NotEqual(t, digestOf(t, old), digestOf(t, now))
	changes := compat.DiffDocuments(old, now)
	assert.Equal(t, []string{
		"/inputSchema/properties/page/properties/body/x-sensitive", "/inputSchema/properties/text/x-review", "/inputSchema/properties/text/x-secret",
	}, exposed(changes))
	assert.Empty(t, exposed(compat.DiffDocuments(now, old)))
	find(t, compat.DiffDocuments(now, old), "field.protected")

	hidden, plain := build(t, readingOf[noteInput, sensitiveOutput]()).Document(), build(t, readingOf[noteInput, noteOutput]()).Document()
	assert.Contains(t, exposed(compat.DiffDocuments(hidden, plain)), "/outputSchema/properties/id/x-sensitive")
}

func digestOf(t *testing.T, d contract.Document) string {
	t.Helper()
	digest, err := d.Digest()
	require.NoError(t, err)
	return digest
}

func TestDiff_SaysFromWhichVersionAnAliasMayGo(t *testing.T) {
	t.Parallel()
	old := document(t, func(d *contract.Document) { d.Version, d.Aliases = "1.4.2", []string{"notes.old"} })
	c := find(t, compat.DiffDocuments(old, document(t, nil)), "alias.removed")
	assert.Contains(t, c.Reason, "2.0.0")
}

func TestDiff_SchemasThatMeanTheSameAreNoChange(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]string{
		"a reference written out": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string","maxLength":3}}}`, `{"type":"object","properties":{"a":{"type":"string","maxLength":3}}}`},
		"a recursion unrolled once": {
			`{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`,
			`{"type":"object","properties":{"next":{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}},"additionalProperties":false}`,
		},
		"a nullable type as alternatives": {`{"type":"object","properties":{"a":{"type":["string","null"]}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"string"}]}}}`},
		"a constant as an enum":           {`{"type":"object","properties":{"a":{"const":1}}}`, `{"type":"object","properties":{"a":{"enum":[1.0]}}}`},
		"the order of names":              {`{"type":"object","required":["a","b"]}`, `{"required":["b","a"],"type":"object"}`},
	} {
		assert.Empty(t, compat.DiffDocuments(document(t, schemas(pair[0])), document(t, schemas(pair[1]))), name)
	}
}

func TestDiff_IsSortedAndSaysWhatStoodThere(t *testing.T) {
	t.Parallel()
	old := document(t, func(d *contract.Document) { d.Permissions = []string{"b", "a"} })
	now := document(t, func(d *contract.Document) { d.Permissions, d.Title = []string{"c"}, "Note" })
	changes := compat.DiffDocuments(old, now)
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%s %s %s>%s", c.Pointer, c.Rule, c.From, c.To))
	}
	assert.Equal(t, []string{
		`/permissions permission.added >"c"`, `/permissions permission.removed "a">`, `/permissions permission.removed "b">`, `/title title.changed >"Note"`,
	}, got)
	assert.Equal(t, compat.Breaking, compat.LargestClass(changes))
	assert.Equal(t, compat.UndeclaredClass, compat.LargestClass(nil))
	assert.NotContains(t, changes[0].String(), `"c"`)
}

// tokens is a token bucket in whole numbers: a call costs PerSeconds, and each
// second gives Calls back.
type tokens struct {
	limit contract.RateLimit
	left  int64
}

func fullTokens(l contract.RateLimit) *tokens {
	return &tokens{limit: l, left: int64(l.Calls) * l.PerSeconds}
}

func (b *tokens) second() {
	b.left = min(b.left+int64(b.limit.Calls), int64(b.limit.Calls)*b.limit.PerSeconds)
}

func (b *tokens) take() bool {
	if b.left < b.limit.PerSeconds {
		return false
	}
	b.left -= b.limit.PerSeconds
	return true
}

// A rate limit is higher just where it lets through whatever the old one did:
// here, the caller who makes every call that the old one has.
func TestDiff_ARateLimitIsHigherWhereItLetsThroughWhatTheOldOneDid(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	limit := func() contract.RateLimit {
		return contract.RateLimit{Calls: 1 + random.IntN(12), PerSeconds: 1 + random.Int64N(12)}
	}
	seen := map[string]int{}
	for range 300 {
		was, is := limit(), limit()
		if was == is {
			continue
		}
		old, now := fullTokens(was), fullTokens(is)
		want := "rateLimit.higher"
		for range 3000 {
			for old.take() {
				if !now.take() {
					want = "rateLimit.lower"
				}
			}
			old.second()
			now.second()
		}
		changes := compat.DiffDocuments(document(t, rate(was.Calls, was.PerSeconds)), document(t, rate(is.Calls, is.PerSeconds)))
		require.Len(t, changes, 1)
		assert.Equal(t, want, changes[0].Rule, "%+v to %+v", was, is)
		seen[want]++
	}
	assert.Len(t, seen, 2)
}
