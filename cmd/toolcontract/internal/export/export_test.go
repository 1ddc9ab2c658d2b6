package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// examples is the folder of the examples, which the released module doesn't
// include.
const examples = "../../../../examples/"

func fileOf(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skip("the examples are in the repository only")
	}
	require.NoError(t, err)
	return text
}

// recordedList returns the tools that an example lists.
func recordedList(t *testing.T, name string) source {
	t.Helper()
	text := fileOf(t, examples+"internal/corpus/testdata/recordings/"+name+"/stdio-2026-07-28.txt")
	for line := range bytes.Lines(text) {
		var answer struct {
			Result struct{ Tools []json.RawMessage }
		}
		if sent, ok := bytes.CutPrefix(line, []byte("< ")); ok && json.Unmarshal(sent, &answer) == nil && answer.Result.Tools != nil {
			from, err := ofListing(answer.Result.Tools)
			require.NoError(t, err)
			return from
		}
	}
	t.Fatal("the recording has no list")
	return source{}
}

func TestFormats_ExampleFilesMatchTheRecordings(t *testing.T) {
	t.Parallel()
	s, err := compat.ParseSnapshot(fileOf(t, examples+"confirmed/testdata/contracts.json"))
	require.NoError(t, err)
	confirmed, err := ofSnapshot(s)
	require.NoError(t, err)
	p := parameters{
		name: "example", version: "1.0.0", title: "An example", description: "Shows contracts.", url: "https://example.com/mcp",
		schema: legacySchema,
	}
	for name, from := range map[string]source{
		"confirmed": confirmed, "emails": recordedList(t, "emails-list-full"), "emails-summary": recordedList(t, "emails-list-summary"),
	} {
		for format, export := range formats {
			if name == "emails-summary" && format != "openai-legacy" {
				continue // only the justifications differ
			}
			given := p
			if format == "registry" {
				given.name = "io.github.example/example"
			}
			r := export(from, given)
			assert.False(t, r.wrong(), "%s, %s: %s", name, format, r.lines())
			for file, text := range r.Files {
				path := filepath.Join("testdata", name, format, file)
				if os.Getenv("TOOLCONTRACT_UPDATE") != "" {
					require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))  //nolint:gosec // recorded
					require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) //nolint:gosec // recorded
				}
				recorded, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.Equal(t, string(recorded), text, "%s differs; TOOLCONTRACT_UPDATE=1 records it", path)
			}
		}
	}
}

// teamwork has the hints of the 221 tools of github.com/Teamwork/mcp before and
// after its commit eaa28df of 2026-07-31, counted by hand. read-only,
// destructive and open-world are each t, f or - (not sent).
var teamwork = []struct {
	tools         int
	before, after string
}{
	{99, "t--", "tff"}, {87, "f--", "fff"}, {2, "f-t", "fft"}, {2, "ftt", "ftt"}, {31, "ft-", "ftf"},
}

// listOf returns a list of tools with the given hints.
func listOf(t *testing.T, hints ...string) source {
	t.Helper()
	var list []json.RawMessage
	for i, form := range hints {
		sent := map[string]bool{}
		for j, name := range []string{"readOnlyHint", "destructiveHint", "openWorldHint"} {
			if form[j] != '-' {
				sent[name] = form[j] == 't'
			}
		}
		raw, err := json.Marshal(map[string]any{
			"name": fmt.Sprintf("tool_%03d", i), "title": "A tool", "inputSchema": map[string]any{"type": "object"},
			"outputSchema": map[string]any{"type": "object"}, "annotations": sent,
		})
		require.NoError(t, err)
		list = append(list, raw)
	}
	from, err := ofListing(list)
	require.NoError(t, err)
	return from
}

func TestFormats_FindTheHintsForWhichADirectoryRejectedAServer(t *testing.T) {
	t.Parallel()
	var before, after []string
	for _, group := range teamwork {
		before = append(before, slices.Repeat([]string{group.before}, group.tools)...)
		after = append(after, slices.Repeat([]string{group.after}, group.tools)...)
	}
	require.Len(t, before, 221)
	for format, want := range map[string]map[string]int{
		"openai":        {"destructiveHint": 99 + 87 + 2, "openWorldHint": 99 + 87 + 31},
		"openai-legacy": {"destructiveHint": 99 + 87 + 2, "openWorldHint": 99 + 87 + 31},
		"claude":        {"destructiveHint": 87 + 2}, // it does not read openWorldHint
	} {
		found := map[string]int{}
		tools := map[string]bool{}
		r := formats[format](listOf(t, before...), parameters{schema: legacySchema})
		for _, f := range r.Findings {
			if f.Rule == "hint.missing" {
				hint, _, _ := strings.Cut(f.Message, " ")
				found[hint]++
				tools[f.Tool] = true
			}
		}
		assert.Equal(t, want, found, format)
		if format != "claude" {
			assert.Len(t, tools, 219, format)
			assert.True(t, r.wrong(), format)
		}
		r = formats[format](listOf(t, after...), parameters{schema: legacySchema})
		assert.False(t, r.wrong(), format)
		for _, f := range r.Findings {
			assert.Equal(t, person, f.Severity, "%s: %s", format, f)
		}
	}
}

func TestFormats_AMissingReadOnlyHintIsAnErrorInEachDirectory(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"openai", "openai-legacy", "claude"} {
		r := formats[format](listOf(t, "-ff"), parameters{schema: legacySchema})
		assert.True(t, r.wrong(), format)
	}
}

func TestFormats_APersonChecksAWriteThatIsNotDestructive(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"openai", "openai-legacy"} {
		r := formats[format](listOf(t, "fff", "ftf", "tff"), parameters{schema: legacySchema})
		var tools []string
		for _, f := range r.Findings {
			if f.Rule == "hint.undo" {
				assert.Equal(t, person, f.Severity)
				tools = append(tools, f.Tool)
			}
		}
		assert.Len(t, tools, 1, format)
	}
}

// every yields a contract for each combination of effect, side effect and
// trust.
func every(yield func(contract.Document) bool) {
	sides := [][]contract.SideEffect{nil}
	for _, reach := range []contract.Reach{0, contract.Internal, contract.External} {
		for _, undo := range []contract.Undo{0, contract.Reversible, contract.Irreversible} {
			one := contract.SideEffect{Description: "It is sent. Then it is kept!\n\x1b[31m", Reach: reach, Undo: undo}
			long := contract.SideEffect{Description: strings.Repeat("and again ", 60), Reach: reach, Undo: undo}
			sides = append(sides, []contract.SideEffect{one}, []contract.SideEffect{one, long})
		}
	}
	for effect := range risk.Destructive + 1 {
		for _, side := range sides {
			for _, content := range []trust.Level{0, trust.Trusted, trust.Sensitive, trust.Untrusted, trust.PromptInjectionProne} {
				for _, sends := range []bool{false, true} {
					doc := contract.Document{
						Format: contract.Format, Name: "a.b", Effect: effect, ContentTrust: content, SideEffects: side, Sends: sends,
					}
					if !yield(doc) {
						return
					}
				}
			}
		}
	}
}

var oneSentence = regexp.MustCompile(`^A [^.!?\n\x1b]+\.$|^Each [^.!?\n\x1b]+\.$`)

func TestJustifications_AreOneSentenceForEachContract(t *testing.T) {
	t.Parallel()
	for doc := range every {
		from, err := ofSnapshot(compat.Snapshot{Tools: []contract.Document{doc}})
		require.NoError(t, err)
		whole := from.tools[0]
		short := whole
		short.whole = false
		for _, tool := range []tool{whole, short} {
			why := justify(tool)
			h := doc.Hints()
			for _, text := range []string{why.ReadOnly, why.OpenWorld, why.Destructive} {
				assert.Regexp(t, oneSentence, text)
				assert.LessOrEqual(t, len(text), 400)
			}
			assert.Equal(t, h.ReadOnly, strings.Contains(why.ReadOnly, "only reads"))
			assert.Equal(t, h.OpenWorld, !strings.Contains(why.OpenWorld, "reaches only this system"), why.OpenWorld)
			lost := strings.Contains(why.Destructive, "cannot be undone") || strings.Contains(why.Destructive, "deletes data")
			assert.Equal(t, h.Destructive, lost, why.Destructive)
		}
	}
}

func TestRegistry_SummaryHasAtMost4KB(t *testing.T) {
	t.Parallel()
	for n, fits := range map[int]bool{1: true, 15: true, 40: false, 2000: false} {
		var s compat.Snapshot
		for i := range n {
			s.Tools = append(s.Tools, contract.Document{
				Format: contract.Format, Name: fmt.Sprintf("numbers.add_many_numbers_%d", i), Version: "1.0.0", Effect: risk.HighRiskWrite,
				ContentTrust: trust.PromptInjectionProne, Confirmation: contract.ConfirmationAlways, Risk: risk.Critical,
			})
		}
		from, err := ofSnapshot(s)
		require.NoError(t, err)
		r := registry(from, parameters{})
		var file struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.Files["server.json"]), &file))
		require.Len(t, file.Meta, 1)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, file.Meta[publisherKey]))
		assert.LessOrEqual(t, compact.Len(), 4096)
		var value map[string]published
		require.NoError(t, json.Unmarshal(compact.Bytes(), &value))
		got := value[contract.MetaKeyContract]
		assert.Equal(t, n, got.Tools)
		assert.Equal(t, map[string]int{"high-risk-write": n}, got.Effects)
		if fits {
			assert.Len(t, got.Contracts, n)
		} else {
			assert.Empty(t, got.Contracts)
			assert.Contains(t, r.lines(), "summary.length")
		}
	}
}

func TestFormats_RefuseWhatTheDirectoryRefuses(t *testing.T) {
	t.Parallel()
	good := listOf(t, "tff")
	long := strings.Repeat("a", 5000)
	for name, test := range map[string]struct {
		format string
		from   source
		p      parameters
		rule   string
	}{
		"no tool":                    {"openai", source{}, parameters{}, "tools.none"},
		"no tool for Claude":         {"claude", source{}, parameters{}, "tools.none"},
		"read-only and destructive":  {"openai", listOf(t, "ttf"), parameters{}, "hint.contradiction"},
		"a large letter":             {"openai", good, parameters{name: "Desk"}, "plugin.name"},
		"two hyphens":                {"openai", good, parameters{name: "a--b"}, "plugin.name"},
		"a long name of a plugin":    {"openai", good, parameters{name: long}, "text.length"},
		"a long title":               {"openai", good, parameters{title: long}, "text.length"},
		"a URL in clear":             {"openai", good, parameters{url: "http://a.example"}, "server.url"},
		"another schema":             {"openai-legacy", good, parameters{schema: "https://a.example"}, "submission.schema"},
		"a name without a namespace": {"registry", good, parameters{name: "desk"}, "server.name"},
		"a long name in a registry":  {"registry", good, parameters{name: "a/" + long}, "server.name"},
		"a long description":         {"registry", good, parameters{description: long}, "text.length"},
		"latest":                     {"registry", good, parameters{version: "latest"}, "server.version"},
		"a range":                    {"registry", good, parameters{version: "^1.2.0"}, "server.version"},
		"a range by letters":         {"registry", good, parameters{version: "1.x"}, "server.version"},
		"a long version":             {"registry", good, parameters{version: long}, "server.version"},
		"a remote in clear":          {"registry", good, parameters{url: "http://a.example"}, "server.url"},
		"a local server":             {"claude", good, parameters{url: "http://127.0.0.1"}, "server.url"},
		"a long name of a tool":      {"claude", source{tools: []tool{{name: long, title: "A"}}}, parameters{}, "name.length"},
	} {
		r := formats[test.format](test.from, test.p)
		assert.True(t, r.wrong(), name)
		assert.True(t, slices.ContainsFunc(r.Findings, func(f finding) bool {
			return f.Rule == test.rule && f.Severity == wrong
		}), "%s: %s", name, r.lines())
	}
	r := claude(source{tools: []tool{{name: "a.b", title: "A"}}}, parameters{})
	assert.Contains(t, r.lines(), "warning: a.b: [name.form]")
	assert.Contains(t, r.Files["checklist.md"], "- [ ] every name has only letters")
	for _, version := range []string{"1.0.0", "2026.10.1", "1.0.0-rc.1+x86", "v1"} {
		assert.False(t, versionRange.MatchString(version), version)
	}
}

func run(t *testing.T, args ...string) (status cli.Status, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = cli.Run(t.Context(), []cli.Command{Command()}, append([]string{"export"}, args...),
		&cli.Terminal{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	return status, out.String(), errs.String()
}

func TestCommand_WritesFilesButReplacesNone(t *testing.T) {
	t.Parallel()
	type in struct {
		A int `json:"a" jsonschema:"description=One number."`
	}
	tool := contract.New("numbers.add", func(_ context.Context, _ in) (in, error) { return in{}, nil }).
		Title("Add").Description("Adds.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
	forbidden := contract.New("numbers.drop", func(_ context.Context, _ in) (in, error) { return in{}, nil }).
		Title("Drop").Description("Drops.").Version("1.0.0").Effect(risk.Destructive).Risk(risk.Forbidden).
		Trust(trust.Trusted).NoPermissions("No agent may call it.")
	s, err := compat.NewSnapshot(tool.MustBuild(), forbidden.MustBuild())
	require.NoError(t, err)
	text, err := s.Text()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "contracts.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))

	status, stdout, stderr := run(t, "openai-legacy", path)
	require.Equal(t, cli.OK, status, stderr)
	assert.Contains(t, stderr, "person: [submission.cases]")
	var file struct {
		Schema        string `json:"$schema"`
		SchemaVersion int    `json:"schema_version"`
		Tools         map[string]struct {
			Annotations    map[string]bool
			Justifications map[string]string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &file))
	assert.Equal(t, legacySchema, file.Schema)
	assert.Equal(t, 1, file.SchemaVersion)
	require.Len(t, file.Tools, 1, "a forbidden tool is not listed")
	assert.Equal(t, map[string]bool{"readOnlyHint": true, "openWorldHint": false, "destructiveHint": false},
		file.Tools["numbers_add"].Annotations)
	assert.Len(t, file.Tools["numbers_add"].Justifications, 3)

	dir := filepath.Join(t.TempDir(), "plugin")
	args := []string{"openai", "-dir", dir, "-name", "numbers", "-url", "https://numbers.example/mcp", path}
	status, stdout, _ = run(t, args...)
	assert.Equal(t, cli.OK, status)
	for _, name := range []string{"hints.md", "mcp.json", "plugin.json"} {
		assert.Contains(t, stdout, name)
		assert.FileExists(t, filepath.Join(dir, name))
	}
	mine := filepath.Join(dir, "hints.md")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o600))
	status, _, stderr = run(t, args...)
	assert.Equal(t, cli.Failed, status)
	assert.Contains(t, stderr, mine)
	kept, err := os.ReadFile(mine)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(kept))

	status, stdout, stderr = run(t, "registry", "-version", "latest", path)
	assert.Equal(t, cli.Bad, status)
	assert.Empty(t, stdout, "no file that the registry refuses")
	assert.Contains(t, stderr, "error: [server.version]")
	status, stdout, _ = run(t, "claude", "-json", path)
	assert.Equal(t, cli.OK, status)
	var r result
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	assert.Contains(t, r.Files["checklist.md"], "| `numbers_add` | true | false | yes |")

	for _, args := range [][]string{
		{}, {"openai"}, {"npm", path}, {"openai", path, path}, {"openai", path + ".none"}, {"openai", "--"},
	} {
		status, stdout, stderr := run(t, args...)
		assert.Equal(t, cli.Failed, status, args)
		assert.Empty(t, stdout, args)
		assert.NotEmpty(t, stderr, args)
	}
}
