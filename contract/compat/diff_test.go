package compat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/risk"
)

// builtDocument builds the contract of writing once.
var builtDocument = sync.OnceValues(func() (contract.Document, error) {
	tool, err := writing().Build()
	if err != nil {
		return contract.Document{}, err
	}
	return tool.Document(), nil
})

// document returns the contract of writing after an edit. A nil edit leaves it
// as it is.
func document(t *testing.T, edit change) contract.Document {
	t.Helper()
	built, err := builtDocument()
	require.NoError(t, err)
	d := built.Clone()
	if edit != nil {
		edit(&d)
	}
	return d
}

func rulesByID() map[string]compat.Kind {
	byID := map[string]compat.Kind{}
	for _, r := range compat.Kinds() {
		byID[r.ID] = r
	}
	return byID
}

// find returns the change of a rule, and checks it against the table of rules.
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

func snapshot(docs ...contract.Document) compat.Snapshot {
	return compat.Snapshot{Format: 1, Tools: docs}
}

// withNames returns a snapshot of a server with a naming.
func withNames(naming contract.Naming, docs ...contract.Document) compat.Snapshot {
	s := snapshot(docs...)
	s.Names = naming
	return s
}

func TestDiff_ReportsAnotherNamingOnce(t *testing.T) {
	t.Parallel()
	read := document(t, func(d *contract.Document) { d.Name = "notes.read" })
	changes := compat.Diff(withNames(contract.Dotted, document(t, nil), read), snapshot(document(t, nil), read))
	require.Len(t, changes, 1)
	change := find(t, changes, "names.changed")
	assert.Empty(t, change.Tool, "it concerns the whole server")
	assert.Equal(t, []string{"/names", `"dotted"`, `"underscore"`}, []string{change.Pointer, string(change.From), string(change.To)})
	assert.True(t, strings.HasPrefix(change.String(), "/names: [names.changed] breaking: "))
	assert.Empty(t, compat.CheckVersions(withNames(contract.Dotted, read), snapshot(read)), "no contract has changed")

	for name, edit := range map[string]func(*contract.Document){
		"a flat name is listed in one form": func(d *contract.Document) { d.Name = "notes" },
		"a forbidden tool is not listed":    func(d *contract.Document) { d.Risk = risk.Forbidden },
	} {
		d := document(t, edit)
		assert.Empty(t, compat.Diff(withNames(contract.Dotted, d), snapshot(d)), name)
	}
}

func TestDiff_AnAliasKeepsTheOldName(t *testing.T) {
	t.Parallel()
	d := document(t, nil)
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

// A rename is additive only if repeated calls are still recognised.
func TestDiff_ARenameKeepsTheOldestNameFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode     idempotency.Mode
		old, now string // the name, then the aliases
		broken   bool
	}{
		"a rename":                           {idempotency.Managed, "notes.a", "notes.b notes.a", false},
		"a rename back":                      {idempotency.Managed, "notes.b notes.a", "notes.a notes.b", true},
		"a rename back, its own name first":  {idempotency.Managed, "notes.b notes.a", "notes.a notes.a notes.b", false},
		"a second rename":                    {idempotency.Managed, "notes.b notes.a", "notes.c notes.a notes.b", false},
		"a second rename in the wrong order": {idempotency.Managed, "notes.b notes.a", "notes.c notes.b notes.a", true},
		"a younger alias":                    {idempotency.Managed, "notes.a", "notes.a notes.b", true},
		"a younger alias after the name":     {idempotency.Managed, "notes.a", "notes.a notes.a notes.b", false},
		"the oldest alias is gone":           {idempotency.Keyed, "notes.b notes.a", "notes.b", true},
		"no deduplicated calls":              {idempotency.Native, "notes.b notes.a", "notes.b", false},
	} {
		named := func(names string) contract.Document {
			return document(t, func(d *contract.Document) {
				all := strings.Fields(names)
				d.Name, d.Aliases, d.AuditEvent = all[0], all[1:], "notes.write"
				d.Idempotency = &contract.Idempotency{Mode: c.mode, OnUnknown: idempotency.Refuse, Retention: time.Hour}
				if c.mode == idempotency.Native {
					d.Idempotency = &contract.Idempotency{Mode: c.mode}
				}
			})
		}
		changes := compat.Diff(snapshot(named(c.old)), snapshot(named(c.now)))
		found := slices.ContainsFunc(changes, func(change compat.Change) bool { return change.Rule == "identity.changed" })
		assert.Equal(t, c.broken, found, name)
	}
}

// Arguments that equal their default do not count in the key of a call. So a
// new one is additive, and the value of a default decides which calls are
// equal.
func TestDiff_TheDefaultsOfAManagedToolDecideWhichCallsAreEqual(t *testing.T) {
	t.Parallel()
	taking := func(properties string) contract.Document {
		return document(t, func(d *contract.Document) {
			managed(nil)(d)
			d.InputSchema = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}` + properties +
				`},"required":["text"],"additionalProperties":false}`)
		})
	}
	none, normal, fast := taking(""), taking(`,"speed":{"type":"string","default":"normal"}`),
		taking(`,"speed":{"type":"string","default":"fast"}`)
	for _, c := range compat.Diff(snapshot(none), snapshot(normal)) {
		assert.Equal(t, compat.Additive, c.Class, c.Rule)
	}
	changed := find(t, compat.Diff(snapshot(normal), snapshot(fast)), "input.default")
	assert.Equal(t, compat.Breaking, changed.Class)
	assert.Contains(t, changed.Reason, "replay")
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
	require.Len(t, changes, 1, "the alias was the name of another tool, which is still there")
	find(t, changes, "tool.removed")
}

func TestDiff_ReportsAnnotationsAndDefaultsWithinEqualParts(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]string{
		"allOf":             `{"type":"object","properties":{"b":{}},"allOf":[{"properties":{"a":%s}}]}`,
		"a reference":       `{"type":"object","properties":{"b":{}},"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":%s}}}}`,
		"oneOf, apart":      `{"type":"object","properties":{"a":{"oneOf":[%s,{"type":"null"}]}}}`,
		"oneOf, not apart":  `{"type":"object","properties":{"a":{"oneOf":[%s,{"minLength":2}]}}}`,
		"anyOf":             `{"type":"object","properties":{"a":{"anyOf":[%s,{"minLength":2}]}}}`,
		"if":                `{"type":"object","properties":{"a":{"if":%s,"then":{"minLength":2}}}}`,
		"then":              `{"type":"object","properties":{"a":{"if":{"type":"string"},"then":%s}}}`,
		"items of an allOf": `{"type":"object","properties":{"a":{"items":{},"allOf":[{"items":%s}]}}}`,
	} {
		// A default is filled in if only references lead to it. All other
		// defaults are annotations.
		filled := "input.text"
		if name == "a reference" {
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
		"/inputSchema/properties/page/properties/body/x-sensitive", "/inputSchema/properties/text/x-review",
		"/inputSchema/properties/text/x-secret",
	}, exposed(changes))
	assert.Empty(t, exposed(compat.DiffDocuments(now, old)))
	find(t, compat.DiffDocuments(now, old), "field.protected")

	hidden, plain := build(t, readingOf[noteInput, sensitiveOutput]()).Document(), build(t,
		readingOf[noteInput, noteOutput]()).Document()
	assert.Contains(t, exposed(compat.DiffDocuments(hidden, plain)), "/outputSchema/properties/id/x-sensitive")
}

func digestOf(t *testing.T, d contract.Document) string {
	t.Helper()
	digest, err := d.Digest()
	require.NoError(t, err)
	return digest
}

// JSON Schema has no bounds for durations, but diffs know theirs.
func TestDiff_ComparesTheBoundsOfDurations(t *testing.T) {
	t.Parallel()
	type wide struct {
		Wait contract.Duration `json:"wait" jsonschema:"minimum=60s,maximum=2h"`
	}
	type narrow struct {
		Wait contract.Duration `json:"wait" jsonschema:"minimum=1m,maximum=1h"`
	}
	old, now := describedBy[wide](t), describedBy[narrow](t)
	narrowed := find(t, compat.DiffDocuments(old, now), "input.range.narrowed")
	assert.Equal(t, compat.Breaking, narrowed.Class)
	assert.Equal(t, "/inputSchema/properties/wait/x-maximum", narrowed.Pointer)
	assert.Equal(t, compat.Breaking, find(t, compat.DiffDocuments(now, old), "output.range.widened").Class)
	find(t, compat.DiffDocuments(now, old), "input.range.widened")
	find(t, compat.DiffDocuments(now, old), "input.text") // the description has them too
	for _, c := range compat.DiffDocuments(old, old) {
		assert.Fail(t, "no change", c)
	}
}

// describedBy returns the contract of a tool whose input and output have one
// type.
func describedBy[T any](t *testing.T) contract.Document {
	t.Helper()
	tool, err := contract.New("clock.wait", func(_ context.Context, in T) (T, error) { return in, nil }).
		Description("Waits.").Version("1.0.0").Effect(risk.ReadOnly).Build()
	require.NoError(t, err)
	return tool.Document()
}

func TestDiff_NamesTheVersionInWhichAnAliasMayBeRemoved(t *testing.T) {
	t.Parallel()
	old := document(t, func(d *contract.Document) { d.Version, d.Aliases = "1.4.2", []string{"notes.old"} })
	c := find(t, compat.DiffDocuments(old, document(t, nil)), "alias.removed")
	assert.Contains(t, c.Reason, "2.0.0")
}

func TestDiff_EquivalentSchemasAreNoChange(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]string{
		"a reference written out": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string",` +
			`"maxLength":3}}}`, `{"type":"object","properties":{"a":{"type":"string","maxLength":3}}}`},
		"a recursion unrolled once": {
			`{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`,
			`{"type":"object","properties":{"next":{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}},` +
				`"additionalProperties":false}`,
		},
		"a nullable type as alternatives": {`{"type":"object","properties":{"a":{"type":["string","null"]}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"string"}]}}}`},
		"a constant as an enum": {`{"type":"object","properties":{"a":{"const":1}}}`,
			`{"type":"object","properties":{"a":{"enum":[1.0]}}}`},
		"the order of names": {`{"type":"object","required":["a","b"]}`, `{"required":["b","a"],"type":"object"}`},
	} {
		assert.Empty(t, compat.DiffDocuments(document(t, schemas(pair[0])), document(t, schemas(pair[1]))), name)
	}
}

func TestDiff_IsSortedAndHasOldAndNewValues(t *testing.T) {
	t.Parallel()
	old := document(t, func(d *contract.Document) { d.Permissions = []string{"b", "a"} })
	now := document(t, func(d *contract.Document) { d.Permissions, d.Title = []string{"c"}, "Note" })
	changes := compat.DiffDocuments(old, now)
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%s %s %s>%s", c.Pointer, c.Rule, c.From, c.To))
	}
	assert.Equal(t, []string{
		`/permissions permission.added >"c"`, `/permissions permission.removed "a">`, `/permissions permission.removed "b">`,
		`/title title.changed >"Note"`,
	}, got)
	assert.Equal(t, compat.Breaking, compat.LargestClass(changes))
	assert.Equal(t, compat.Class(""), compat.LargestClass(nil))
	assert.NotContains(t, changes[0].String(), `"c"`)
}

// tokens is a token bucket in whole numbers: a call costs as many tokens as Per
// has seconds, and each second gives Calls tokens back.
type tokens struct {
	limit contract.RateLimit
	left  int64
}

func seconds(l contract.RateLimit) int64 { return int64(l.Per / time.Second) }

func fullTokens(l contract.RateLimit) *tokens {
	return &tokens{limit: l, left: int64(l.Calls) * seconds(l)}
}

func (b *tokens) second() {
	b.left = min(b.left+int64(b.limit.Calls), int64(b.limit.Calls)*seconds(b.limit))
}

func (b *tokens) take() bool {
	if b.left < seconds(b.limit) {
		return false
	}
	b.left -= seconds(b.limit)
	return true
}

// A rate limit is lower if it refuses a call that the old one allows, and
// higher if it allows one that the old one refuses. The test simulates callers
// that make all calls of one limit.
func TestDiff_ARateLimitIsComparedByTheCallsThatItAllows(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	limit := func() contract.RateLimit {
		return contract.RateLimit{Calls: 1 + random.IntN(12), Per: time.Duration(1+random.Int64N(12)) * time.Second}
	}
	refuses := func(l, callsOf contract.RateLimit) bool {
		caller, bucket := fullTokens(callsOf), fullTokens(l)
		for range 3000 {
			for caller.take() {
				if !bucket.take() {
					return true
				}
			}
			caller.second()
			bucket.second()
		}
		return false
	}
	seen := map[string]int{}
	for range longtest.Count(t, 60, 300) {
		old, now := limit(), limit()
		var want, got []string
		if refuses(old, now) {
			want = append(want, "rateLimit.higher")
		}
		if refuses(now, old) {
			want = append(want, "rateLimit.lower")
		}
		for _, c := range compat.DiffDocuments(document(t, rate(old.Calls, int64(old.Per/time.Second))),
			document(t, rate(now.Calls, int64(now.Per/time.Second)))) {
			got = append(got, c.Rule)
		}
		assert.Equal(t, want, got, "%+v to %+v", old, now)
		seen[strings.Join(want, " ")]++
	}
	assert.GreaterOrEqual(t, len(seen), 3)
}
