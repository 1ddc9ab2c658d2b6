package contracttest_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A checkout is a directory with a snapshot. Tests run Golden on it.
type checkout struct {
	t    *testing.T
	path string
}

func newCheckout(t *testing.T) checkout {
	t.Helper()
	t.Setenv(updateEnv, "0")
	return checkout{t: t, path: filepath.Join(t.TempDir(), "testdata", "contracts.json")}
}

// golden returns Golden's errors, one per line, without the first line.
func (c checkout) golden(update bool, builders ...buildable) []string {
	c.t.Helper()
	c.t.Setenv(updateEnv, map[bool]string{true: "1", false: "0"}[update])
	tb := &recorder{}
	contracttest.Golden(tb, c.path, build(c.t, builders...)...)
	if len(tb.errors) == 0 {
		return nil
	}
	require.Len(c.t, tb.errors, 1)
	lines := strings.Split(tb.errors[0], "\n\t")
	if len(lines) > 1 {
		lines = lines[1:]
	}
	return lines
}

func (c checkout) record(builders ...buildable) {
	c.t.Helper()
	require.Empty(c.t, c.golden(true, builders...))
	require.Empty(c.t, c.golden(false, builders...), "a recorded contract passes")
}

func (c checkout) read() string {
	c.t.Helper()
	data, err := os.ReadFile(c.path)
	require.NoError(c.t, err)
	return string(data)
}

type entry struct {
	Tool       string `json:"tool"`
	Pointer    string `json:"pointer"`
	SideEffect any    `json:"sideEffect,omitempty"`
	Among      any    `json:"among,omitempty"`
	Rule       string `json:"rule"`
	From       any    `json:"from"`
	To         any    `json:"to"`
	Why        string `json:"why"`
}

func (c checkout) reasonsPath() string { return strings.TrimSuffix(c.path, ".json") + ".reasons.json" }

func (c checkout) reasons() []entry {
	c.t.Helper()
	data, err := os.ReadFile(c.reasonsPath())
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(c.t, err)
	var file struct {
		Format  int     `json:"format"`
		Reasons []entry `json:"reasons"`
	}
	require.NoError(c.t, json.Unmarshal(data, &file))
	require.Equal(c.t, 1, file.Format)
	return file.Reasons
}

func (c checkout) explain(why string) {
	c.t.Helper()
	reasons := c.reasons()
	require.NotEmpty(c.t, reasons)
	for i := range reasons {
		if reasons[i].Why == "" {
			reasons[i].Why = why
		}
	}
	c.writeReasons(reasons)
}

func (c checkout) writeReasons(reasons []entry) {
	c.t.Helper()
	data, err := json.Marshal(map[string]any{"format": 1, "reasons": reasons})
	require.NoError(c.t, err)
	require.NoError(c.t, os.WriteFile(c.reasonsPath(), data, 0o600))
}

// The tests of Golden set the environment, so they are not parallel.

func TestGolden_FailsWithoutASnapshotAndWritesOne(t *testing.T) {
	c := newCheckout(t)
	require.Len(t, c.golden(false, reading("notes.read")), 1)
	require.NoFileExists(t, c.path)
	c.record(reading("notes.read"), writing("notes.write"))

	snapshot, err := compat.ParseSnapshot([]byte(c.read()))
	require.NoError(t, err)
	require.Len(t, snapshot.Tools, 2)
	assert.NoFileExists(t, c.reasonsPath(), "there is nothing to give a reason for")
	assert.Empty(t, c.golden(false, writing("notes.write"), reading("notes.read")), "in whatever order")
}

func TestGolden_FailsForAnUnrecordedChangeUntilItIsRecorded(t *testing.T) {
	c := newCheckout(t)
	c.record(reading("notes.read"))
	before := c.read()

	lines := c.golden(false, reading("notes.read").Title("Another").Version("1.1.1"), reading("notes.list"))
	require.Len(t, lines, 3)
	for i, says := range [][]string{
		{"notes.list", "[tool.added] additive", updateEnv},
		{"notes.read /title", "[title.changed] patch", updateEnv},
		{"notes.read /version", "[version.changed] patch", updateEnv},
	} {
		for _, part := range says {
			assert.Contains(t, lines[i], part)
		}
	}
	assert.Equal(t, before, c.read(), "nothing is written without an update")
	c.record(reading("notes.read").Title("Another").Version("1.1.1"), reading("notes.list"))
}

func TestGolden_ChecksTheVersionAlsoWhileUpdating(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*noteBuilder) *noteBuilder
		low    string
		high   string
		rule   string
	}{
		"a patch":    {func(b *noteBuilder) *noteBuilder { return b.Title("Another") }, "1.1.0", "1.1.1", "title.changed"},
		"additive":   {func(b *noteBuilder) *noteBuilder { return b.Aliases("notes.show") }, "1.1.1", "1.2.0", "alias.added"},
		"a breaking": {func(b *noteBuilder) *noteBuilder { return b.Permissions("notes:more") }, "1.2.0", "2.0.0", "permission.added"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			c.record(reading("notes.read"))
			before := c.read()
			for _, update := range []bool{false, true} {
				lines := c.golden(update, tt.change(reading("notes.read")).Version(tt.low))
				require.NotEmpty(t, lines, "update %t", update)
				assert.Contains(t, lines[0], "["+tt.rule+"]")
				assert.Contains(t, lines[0], "raise the version from 1.1.0 to at least "+tt.high)
			}
			assert.Equal(t, before, c.read(), "the snapshot stays")
			c.record(tt.change(reading("notes.read")).Version(tt.high))
		})
	}
}

func TestGolden_MarksARemovedField(t *testing.T) {
	const withDraft = `{"type":"object","properties":{"text":{"type":"string"},"draft":{"type":"boolean"}},` +
		`"additionalProperties":false}`
	const without = `{"type":"object","properties":{"text":{"type":"string"}},"additionalProperties":false}`
	declared := func(schema string) buildable {
		return contract.New("notes.read", does[map[string]any, noteOut]).Title("Note").Description("Reads a note.").Version("1.1.0").
			Trust(trust.Trusted).Effect(risk.ReadOnly).Permissions("notes:read").InputSchema(json.RawMessage(schema))
	}
	c := newCheckout(t)
	c.record(declared(withDraft))
	lines := c.golden(false, declared(without))
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "/inputSchema/properties/draft")
	assert.Contains(t, lines[0], `(was {"type":"boolean"}, removed)`)
	assert.NotContains(t, lines[0], "now false")
}

func weaker() *noteBuilder { return reading("notes.read").Version("1.2.0") }

func stronger() *noteBuilder { return reading("notes.read").Permissions("notes:secret") }

func TestGolden_DemandsAReasonForADowngrade(t *testing.T) {
	c := newCheckout(t)
	c.record(stronger(), writing("notes.write"))
	before := c.read()

	lines := c.golden(false, weaker(), writing("notes.write"))
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], "notes.read /permissions: [permission.removed] additive, downgrade")
	assert.Contains(t, lines[0], `(was "notes:secret", removed)`)
	assert.Contains(t, lines[0], "write the reason")
	assert.Empty(t, c.reasons(), "nothing is written without an update")

	lines = c.golden(true, weaker(), writing("notes.write"))
	require.Len(t, lines, 1, "the version may be recorded, the downgrade not")
	const edit = `write the reason in the member "why" of its entry in`
	assert.Contains(t, lines[0], edit, "the entry is there after the update")
	require.Len(t, c.reasons(), 1)
	assert.Contains(t, c.golden(false, weaker(), writing("notes.write"))[0], edit)
	made := c.reasons()[0]
	assert.Equal(t, []string{"notes.read", "/permissions", "permission.removed", ""}, []string{made.Tool, made.Pointer, made.Rule,
		made.Why})
	assert.Equal(t, "notes:secret", made.From, "a short value is stored as it is")
	assert.Nil(t, made.To)
	assert.Equal(t, before, c.read(), "the snapshot stays")

	c.explain(" ")
	require.NotEmpty(t, c.golden(true, weaker(), writing("notes.write")), "a blank is no reason")
	c.writeReasons([]entry{made})
	c.explain("What is secret went to notes.secret.")
	c.record(weaker(), writing("notes.write"))
	assert.Equal(t, "What is secret went to notes.secret.", c.reasons()[0].Why)

	c.record(weaker().Title("Another").Version("1.2.1"), writing("notes.write"))
	assert.Len(t, c.reasons(), 1, "the reason stays while the contract is as weak")
}

func TestGolden_AReasonIsForOneChange(t *testing.T) {
	c := newCheckout(t)
	c.record(stronger().Permissions("notes:audit"))
	one := func() *noteBuilder { return stronger().Version("1.2.0") }
	require.NotEmpty(t, c.golden(true, one()))
	c.explain("<Ops> never granted it.")
	lines := c.golden(true, weaker())
	require.NotEmpty(t, lines, "it does not cover the other permission")
	for _, line := range lines {
		assert.Contains(t, line, "[permission.removed]")
	}
	require.Len(t, c.reasons(), 2)
	text, err := os.ReadFile(c.reasonsPath())
	require.NoError(t, err)
	assert.Contains(t, string(text), "<Ops> never granted it.", "words are kept as they were written")
}

func TestGolden_ReportsAReasonThatMatchesNothing(t *testing.T) {
	c := newCheckout(t)
	c.record(stronger())
	require.NotEmpty(t, c.golden(true, weaker()))
	c.explain("It was never granted.")
	c.record(weaker())
	kept := c.reasons()

	restored := func() *noteBuilder { return stronger().Version("2.0.0") }
	lines := c.golden(false, restored())
	require.NotEmpty(t, lines)
	last := lines[len(lines)-1]
	assert.Contains(t, last, "notes.read: the reason for [permission.removed]")
	assert.Contains(t, last, "no longer matches anything")
	c.record(restored())
	assert.Empty(t, c.reasons(), "an update removes it")

	for name, wrong := range map[string]func(*entry){
		"of a tool that is gone": func(e *entry) { e.Tool = "notes.gone" },
		"of another value":       func(e *entry) { e.To = "sha256:" + strings.Repeat("0", 64) },
		"without a word":         func(e *entry) { e.Why = "" },
	} {
		bad := kept[0]
		wrong(&bad)
		c.writeReasons([]entry{bad})
		assert.Len(t, c.golden(false, restored()), 1, name)
	}
}

func TestGolden_KeepsReasonsWhileTheyAreInForce(t *testing.T) {
	for name, tt := range map[string]struct {
		from, to, back *noteBuilder
	}{
		"a level": {
			writing("notes.write").Effect(risk.HighRiskWrite), writing("notes.write").Effect(risk.LowRiskWrite).Version("2.0.0"),
			writing("notes.write").Effect(risk.HighRiskWrite).Version("3.0.0"),
		},
		"a member that is left out": {
			reading("notes.read").SecurityLevel(5), reading("notes.read").Version("2.0.0"),
			reading("notes.read").SecurityLevel(5).Version("3.0.0"),
		},
		"a clause that went": {
			writing("notes.write").StepUp(contract.StepUp{ACR: "mfa"}), writing("notes.write").Version("2.0.0"),
			writing("notes.write").StepUp(contract.StepUp{ACR: "mfa"}).Version("3.0.0"),
		},
		"the audit event": {
			// A different name is weaker in both directions.
			reading("notes.read").AuditEvent("note.read"), reading("notes.read").Version("2.0.0"), nil,
		},
		"one of several side effects": {
			writing("notes.write").SideEffects(contract.SideEffect{Description: "Another."}), writing("notes.write").Version("2.0.0"),
			writing("notes.write").SideEffects(contract.SideEffect{Description: "Another."}).Version("3.0.0"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			c.record(tt.from)
			require.NotEmpty(t, c.golden(true, tt.to))
			c.explain("Because.")
			c.record(tt.to)
			require.NotEmpty(t, c.reasons())
			if tt.back == nil {
				return
			}
			c.record(tt.back)
			assert.Empty(t, c.reasons(), "a clause that is as strong as before needs no reason")
		})
	}
}

func TestGolden_DemandsAReasonForARemovedTool(t *testing.T) {
	for name, now := range map[string]buildable{
		"removed":                   writing("notes.write"),
		"renamed, without an alias": reading("notes.show"),
	} {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			c.record(reading("notes.read"), reading("notes.list"))
			var removal string
			for _, line := range c.golden(true, now, reading("notes.list")) {
				if strings.Contains(line, "[tool.removed]") {
					removal = line
				}
			}
			assert.Contains(t, removal, "notes.read: ")
			assert.Contains(t, removal, "alias")
			assert.Contains(t, removal, "write the reason")
			require.Len(t, c.reasons(), 1)
			c.explain("Nobody called it.")
			c.record(now, reading("notes.list"))
			c.record(now, reading("notes.list").Title("Another").Version("1.1.1"))
			assert.Len(t, c.reasons(), 1, "the reason stays while the tool is gone")

			c.record(now, reading("notes.list").Title("Another").Version("1.1.1"), reading("notes.read"))
			assert.Empty(t, c.reasons(), "it is no reason for another time")
			require.NotEmpty(t, c.golden(true, now, reading("notes.list").Title("Another").Version("1.1.1")))
		})
	}
	t.Run("retired", func(t *testing.T) {
		c := newCheckout(t)
		c.record(reading("notes.read").Deprecated(contract.Deprecation{Since: "1.0.0"}), reading("notes.list"))
		c.record(reading("notes.list"))
		assert.Empty(t, c.reasons(), "its callers were warned")
	})
	t.Run("under its old alias", func(t *testing.T) {
		c := newCheckout(t)
		c.record(stronger().Aliases("notes.show"))
		lines := c.golden(false, reading("notes.show"))
		assert.Contains(t, strings.Join(lines, "\n"), "[permission.removed]", "it is compared all the same")
		assert.NotContains(t, strings.Join(lines, "\n"), "[tool.removed]")
	})
}

func TestGolden_AReasonDoesNotCoverTheSameDowngradeAgain(t *testing.T) {
	for name, tt := range map[string]struct{ strong, weak, strongAgain, weakAgain *noteBuilder }{
		"a principal": {
			reading("notes.read"), base[noteIn, noteOut]("notes.read").Effect(risk.ReadOnly).Version("1.2.0"),
			reading("notes.read").Version("2.0.0"), base[noteIn, noteOut]("notes.read").Effect(risk.ReadOnly).Version("2.1.0"),
		},
		"discovery": {
			stronger(), stronger().DiscoverWith("notes:read").Version("1.2.0"),
			stronger().Version("2.0.0"), stronger().DiscoverWith("notes:read").Version("2.1.0"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			c.record(tt.strong)
			require.NotEmpty(t, c.golden(true, tt.weak))
			c.explain("Because.")
			c.record(tt.weak)
			require.NotEmpty(t, c.reasons())
			require.Empty(t, c.golden(false, tt.weak))
			require.NotEmpty(t, c.golden(false, tt.strongAgain))
			c.record(tt.strongAgain)
			assert.Empty(t, c.reasons(), "a clause that is as strong as before needs no reason")
			assert.NotEmpty(t, c.golden(true, tt.weakAgain), "and the same downgrade needs another")
		})
	}
}

type pageIn[T any] struct {
	First  T `json:"first" jsonschema:"description=The first."`
	Second T `json:"second" jsonschema:"description=The second."`
}

type hiddenPage struct {
	Body string `json:"body" contract:"sensitive" jsonschema:"description=The text."`
}

type page struct {
	Body string `json:"body" jsonschema:"description=The text."`
}

func TestGolden_DemandsAReasonForARemovedProtection(t *testing.T) {
	hidden := func(version string) buildable {
		return base[pageIn[hiddenPage], noteOut]("notes.read").Effect(risk.ReadOnly).Permissions("notes:read").Version(version)
	}
	open := func(version string) buildable {
		return base[pageIn[page], noteOut]("notes.read").Effect(risk.ReadOnly).Permissions("notes:read").Version(version)
	}
	c := newCheckout(t)
	c.record(hidden("1.0.0"))
	require.NotEmpty(t, c.golden(true, open("1.1.0")))
	require.Len(t, c.reasons(), 2, "the one type stands at two places")
	for _, r := range c.reasons() {
		assert.Equal(t, "field.exposed", r.Rule)
	}
	c.explain("It is public.")
	c.record(open("1.1.0"))
	require.Len(t, c.reasons(), 2)
	c.record(hidden("1.1.1"))
	assert.Empty(t, c.reasons(), "also where the schema refers to the field")
}

func TestGolden_WritesTheDigestOfALongValue(t *testing.T) {
	c := newCheckout(t)
	c.record(writing("notes.write").SideEffects(contract.SideEffect{Description: strings.Repeat("Long. ", 30)}))
	require.NotEmpty(t, c.golden(true, writing("notes.write").Version("1.2.0")))
	var digests int
	for _, r := range c.reasons() {
		if text, ok := r.From.(string); ok && strings.HasPrefix(text, "sha256:") {
			assert.Len(t, text, len("sha256:")+64)
			digests++
		}
	}
	assert.Equal(t, 1, digests)
}

func TestGolden_AdvisesAfterAMergeConflict(t *testing.T) {
	c := newCheckout(t)
	c.record(reading("notes.read"))
	good := c.read()
	conflict := "<<<<<<< HEAD\n" + good + "=======\n" + good + ">>>>>>> theirs\n"
	require.NoError(t, os.WriteFile(c.path, []byte(conflict), 0o600))
	lines := c.golden(true, reading("notes.read"))
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "merge conflict")
	assert.Contains(t, lines[0], updateEnv)
	assert.Equal(t, conflict, c.read(), "an unreadable snapshot is not overwritten")

	require.NoError(t, os.WriteFile(c.path, []byte(good), 0o600))
	require.NoError(t, os.WriteFile(c.reasonsPath(), []byte("{\n<<<<<<< HEAD\n"), 0o600))
	lines = c.golden(false, reading("notes.read"))
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "keep the entries of both sides")
}

func TestGolden_RefusesFilesThatItCannotRead(t *testing.T) {
	c := newCheckout(t)
	c.record(reading("notes.read"))
	good := c.read()
	for name, text := range map[string]string{
		"no JSON":           `{`,
		"an unknown member": `{"format":1,"tools":[],"more":1}`,
		"another format":    `{"format":2,"tools":[]}`,
	} {
		require.NoError(t, os.WriteFile(c.path, []byte(text), 0o600))
		assert.Len(t, c.golden(true, reading("notes.read")), 1, "the snapshot is %s", name)
		assert.Equal(t, text, c.read(), "an unreadable snapshot is not overwritten")
	}
	require.NoError(t, os.WriteFile(c.path, []byte(strings.ReplaceAll(good, "\n", "\r\n")), 0o600))
	assert.Empty(t, c.golden(false, reading("notes.read")), "line endings are no change")

	for name, text := range map[string]string{
		"no JSON":           `[]`,
		"an unknown member": `{"format":1,"reasons":[{"tool":"notes.read","reason":"Why."}]}`,
		"another format":    `{"format":2,"reasons":[]}`,
	} {
		require.NoError(t, os.WriteFile(c.reasonsPath(), []byte(text), 0o600))
		assert.Len(t, c.golden(true, reading("notes.read")), 1, "the file of reasons is %s", name)
	}
}

func TestGolden_RefusesToolsWithoutASnapshot(t *testing.T) {
	c := newCheckout(t)
	assert.Len(t, c.golden(true), 1, "no tools")
	assert.NotEmpty(t, c.golden(true, reading("notes.read"), reading("notes.read")), "two of one name")
	assert.NoFileExists(t, c.path)
}

func TestGolden_ReadsAFlagThatThePackageDefines(t *testing.T) {
	c := newCheckout(t)
	require.NoError(t, os.Unsetenv(updateEnv)) // newCheckout restores it
	tb := &recorder{}
	contracttest.Golden(tb, c.path, build(t, reading("notes.read"))...)
	require.Len(t, tb.errors, 1, "the flag is not set")

	require.NotNil(t, flag.Lookup("update"))
	require.NoError(t, flag.Set("update", "true"))
	defer func() { require.NoError(t, flag.Set("update", "false")) }()
	tb = &recorder{}
	contracttest.Golden(tb, c.path, build(t, reading("notes.read"))...)
	assert.Empty(t, tb.errors)
	assert.FileExists(t, c.path)

	t.Setenv(updateEnv, "0")
	assert.Len(t, func() []string {
		tb = &recorder{}
		contracttest.Golden(tb, c.path, build(t, reading("notes.list"))...)
		return tb.errors
	}(), 1, "the environment wins")
}

var _ = flag.Bool("update", false, "as a package with golden files of its own defines it")

func TestUnreleased_DemandsNoVersions(t *testing.T) {
	c := newCheckout(t)
	golden := func(tb testing.TB, update string, builders ...buildable) {
		t.Setenv(updateEnv, update)
		contracttest.Golden(tb, c.path, build(t, builders...)...)
	}
	before := func(update string, builders ...buildable) []string {
		tb := &recorder{}
		golden(contracttest.Unreleased(tb), update, builders...)
		return tb.errors
	}
	require.Empty(t, before("1", reading("notes.read")))
	breaking := reading("notes.read").Permissions("notes:list")
	assert.Len(t, before("0", breaking), 1, "the change is not recorded")
	require.Empty(t, before("1", breaking), "no version is demanded")
	require.Empty(t, before("0", breaking))

	released := &recorder{}
	golden(released, "0", breaking)
	assert.Empty(t, released.errors, "the first release is what was recorded")
	golden(released, "1", reading("notes.read").Permissions("notes:list", "notes:find"))
	assert.Len(t, released.errors, 1, "from the first release on, a version is demanded")
	assert.Len(t, before("1", reading("notes.read")), 1, "a downgrade has a reason before it too")
}
