package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// commandLine makes this test binary the command, with these arguments, one a
// line.
const commandLine = "TOOLCONTRACT_TEST_COMMAND"

// serveStdio makes this test binary a server over stdio.
const serveStdio = "TOOLCONTRACT_TEST_STDIO"

func TestMain(m *testing.M) {
	if line := os.Getenv(commandLine); line != "" {
		os.Args = append(os.Args[:1], strings.Split(line, "\n")...)
		main()
	}
	if os.Getenv(serveStdio) != "" {
		if serve() != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type addIn struct {
	A int `json:"a" jsonschema:"description=One number."`
}

type addOut struct {
	Sum int `json:"sum"`
}

func add(_ context.Context, in addIn) (addOut, error) { return addOut{in.A}, nil }

func adder(version string) *contract.Builder[addIn, addOut] {
	return contract.New("numbers.add", add).Title("Add").Description("Adds.").Version(version).
		Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("numbers:read")
}

// hostileName would clear the terminal, in two ways, and turn the text round.
const hostileName = "plain\x1b[2J\n\u009b2J\u202e\U000e0041tool"

// newServer returns a server with one tool that has a contract and one with a
// hostile name.
func newServer() *server.MCPServer {
	s := server.NewMCPServer("numbers", "1.0.0")
	contracted := mcp.Tool{Name: "numbers_add", InputSchema: mcp.ToolInputSchema{Type: "object"}}
	contracted.Meta = &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyContract: adder("1.0.0").MustBuild().Document().
		Summary()}}
	hostile := mcp.Tool{Name: hostileName, InputSchema: mcp.ToolInputSchema{Type: "object"}}
	s.AddTools(server.ServerTool{Tool: contracted}, server.ServerTool{Tool: hostile})
	return s
}

// verified, compared and listed are the JSON forms that scripts read.
type (
	verified struct {
		Name      string `json:"name"`
		OK        bool   `json:"ok"`
		Records   int    `json:"records"`
		First     string `json:"first"`
		Last      string `json:"last"`
		HeadLine  int    `json:"headLine"`
		Torn      int    `json:"torn"`
		FirstTorn int    `json:"firstTorn"`
		TornTail  bool   `json:"tornTail"`
		Line      int    `json:"line"`
		Fault     string `json:"fault"`
	}
	compared struct {
		Compatible bool            `json:"compatible"`
		Downgrade  bool            `json:"downgrade"`
		Changes    []compat.Change `json:"changes"`
		Versions   []string        `json:"versions"`
	}
	listed struct {
		Name     string          `json:"name"`
		Contract json.RawMessage `json:"contract"`
	}
)

// runCommand runs a command line and returns its status and output.
func runCommand(t *testing.T, args ...string) (status cli.Status, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	result := cli.Run(t.Context(), commands(), args, &cli.Terminal{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	return result, out.String(), errs.String()
}

// runJSON runs a command line with -json at its end and decodes the output.
func runJSON(t *testing.T, into any, args ...string) cli.Status {
	t.Helper()
	status, stdout, stderr := runCommand(t, append(args, "-json")...)
	require.NoError(t, json.Unmarshal([]byte(stdout), into), stderr)
	return status
}

func snapshot(t *testing.T, tools ...*contract.Tool) string {
	t.Helper()
	s, err := compat.NewSnapshot(tools...)
	require.NoError(t, err)
	text, err := s.Text()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "contracts.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func TestVerifyAudit_FindsTheFirstBadLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.OpenFile(path)
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, log.Write(t.Context(), audit.Event{Time: time.Unix(1, 0), Kind: audit.Intent, Tool: "numbers.add"}))
	}
	require.NoError(t, log.Close())

	var found verified
	assert.Equal(t, cli.OK, runJSON(t, &found, "verify-audit", path))
	assert.True(t, found.OK)
	assert.Equal(t, 3, found.Records)
	assert.Equal(t, log.Head(), found.Last)
	status, _, _ := runCommand(t, "verify-audit", "-head", log.Head(), path)
	assert.Equal(t, cli.OK, status)

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	second := bytes.IndexByte(text, '\n') + 1
	changed := append(bytes.Clone(text[:second]), bytes.Replace(text[second:], []byte("numbers.add"), []byte("numbers.sub"), 1)...)
	require.NoError(t, os.WriteFile(path, changed, 0o600))
	found = verified{}
	assert.Equal(t, cli.Bad, runJSON(t, &found, "verify-audit", path))
	assert.Equal(t, verified{Records: 1, First: found.First, Last: found.Last, Line: 2, Fault: found.Fault}, found)
	assert.NotEmpty(t, found.Fault)
	status, stdout, _ := runCommand(t, "verify-audit", path)
	assert.Equal(t, cli.Bad, status)
	assert.Contains(t, stdout, "line 2")
}

func TestVerifyAudit_OfAFolderNamesTheFileThatIsNotFollowed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	log, err := audit.OpenFolder(folder, 1)
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, log.Write(t.Context(), audit.Event{Time: time.Unix(1, 0), Kind: audit.Intent, Tool: "numbers.add"}))
	}
	require.NoError(t, log.Close())
	var found struct {
		OK    bool
		Files []verified
	}
	assert.Equal(t, cli.OK, runJSON(t, &found, "verify-audit", "-head", log.Head(), folder))
	assert.True(t, found.OK)
	require.Len(t, found.Files, 3)
	require.NoError(t, os.Remove(filepath.Join(folder, found.Files[1].Name)))
	last := found.Files[2].Name
	assert.Equal(t, cli.Bad, runJSON(t, &found, "verify-audit", folder))
	assert.False(t, found.OK)
	assert.Equal(t, verified{Name: last, Records: 1, First: log.Head(), Last: log.Head(), Line: 1, Fault: "missing"}, found.Files[1])
	status, stdout, _ := runCommand(t, "verify-audit", folder)
	assert.Equal(t, cli.Bad, status)
	assert.Contains(t, stdout, last+": audit: line 1")
	status, _, _ = runCommand(t, "verify-audit", t.TempDir())
	assert.Equal(t, cli.Failed, status, "no log")
}

func TestDiff_IsBadIfCallersMayBreak(t *testing.T) {
	t.Parallel()
	old := snapshot(t, adder("1.0.0").MustBuild())
	for name, test := range map[string]struct {
		now    *contract.Tool
		status cli.Status
		want   compared
		rules  []string
	}{
		"equal": {adder("1.0.0").MustBuild(), cli.OK, compared{Compatible: true}, nil},
		"compatible": {adder("1.0.1").Description("Adds numbers.").MustBuild(), cli.OK, compared{Compatible: true},
			[]string{"description.changed", "version.changed"}},
		"not raised": {adder("1.0.0").Description("Adds numbers.").MustBuild(), cli.Bad, compared{Compatible: true,
			Versions: []string{"one"}}, []string{"description.changed"}},
		"breaking": {adder("2.0.0").Permissions("numbers:add").MustBuild(), cli.Bad, compared{}, []string{"permission.added",
			"version.changed"}},
		"a downgrade": {contract.New("numbers.add",
			add).Title("Add").Description("Adds.").Version("1.1.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild(), cli.Bad,
			compared{Compatible: true, Downgrade: true}, []string{"permission.removed", "version.changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := snapshot(t, test.now)
			var found compared
			assert.Equal(t, test.status, runJSON(t, &found, "diff", old, now))
			assert.Equal(t, test.want.Compatible, found.Compatible)
			assert.Equal(t, test.want.Downgrade, found.Downgrade)
			assert.Len(t, found.Versions, len(test.want.Versions))
			rules := map[string]bool{}
			for _, c := range found.Changes {
				rules[c.Rule] = true
			}
			for _, rule := range test.rules {
				assert.True(t, rules[rule], "%s is not among %v", rule, rules)
			}
			status, stdout, _ := runCommand(t, "diff", old, now)
			assert.Equal(t, test.status, status)
			assert.NotEmpty(t, stdout)
		})
	}
}

func TestDiff_AcceptsTheDowngradesOfOneToolForAReason(t *testing.T) {
	t.Parallel()
	tool := func(name, version string, permissions ...string) *contract.Tool {
		return contract.New(name, add).Title("Numbers").Description("Works with numbers.").Version(version).
			Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions(permissions...).MustBuild()
	}
	const read, sums, products = "numbers:read", "numbers.add", "numbers.multiply"
	old := snapshot(t, tool(sums, "1.0.0", read), tool(products, "1.0.0", read))
	one := snapshot(t, tool(sums, "1.1.0"), tool(products, "1.0.0", read))
	two := snapshot(t, tool(sums, "1.1.0"), tool(products, "1.1.0"))
	unraised := snapshot(t, tool(sums, "1.0.0"), tool(products, "1.0.0", read))
	const allow, reason = "-allow-downgrade", sums + "=Numbers are public."
	for name, test := range map[string]struct {
		args   []string
		status cli.Status
	}{
		"none":                  {[]string{old, one}, cli.Bad},
		"one":                   {[]string{old, one, allow, reason}, cli.OK},
		"one of two":            {[]string{old, two, allow, reason}, cli.Bad},
		"two":                   {[]string{old, two, allow, reason, allow, products + "=So are these."}, cli.OK},
		"without its version":   {[]string{old, unraised, allow, reason}, cli.Bad},
		"one that is not there": {[]string{old, old, allow, reason}, cli.Failed},
		"a blank reason":        {[]string{old, one, allow, sums + "= "}, cli.Failed},
		"no reason":             {[]string{old, one, allow, sums}, cli.Failed},
	} {
		status, stdout, stderr := runCommand(t, append([]string{"diff"}, test.args...)...)
		assert.Equal(t, test.status, status, "%s: %s%s", name, stdout, stderr)
		if test.status == cli.OK {
			assert.Contains(t, stdout, "Numbers are public.", name)
		}
	}
}

func TestDiff_AcceptsWhatGoldenHasReasonsFor(t *testing.T) {
	t.Parallel()
	tool := func(version string, reach contract.Reach, description string) *contract.Tool {
		return contract.New("numbers.add", add).Title("Add").Description("Adds.").Version(version).Effect(risk.LowRiskWrite).
			Trust(trust.Trusted).Permissions("numbers:add").
			SideEffects(contract.SideEffect{Description: description, Reach: reach, Undo: contract.Reversible}).MustBuild()
	}
	old := snapshot(t, tool("1.0.0", contract.External, "It is kept."))
	weaker := snapshot(t, tool("1.1.0", contract.Internal, "It is kept."))
	beside := strings.TrimSuffix(weaker, ".json") + ".reasons.json"
	for name, test := range map[string]struct {
		file   string
		args   []string
		status cli.Status
	}{
		"no file": {"", []string{"-reasons"}, cli.Bad},
		"a reason": {`{"tool":"numbers.add","pointer":"/sideEffects","sideEffect":"It is kept.","rule":"sideEffect.reachMilder",` +
			`"from":"external","to":"internal","why":"The disk moved in."}`, []string{"-reasons"}, cli.OK},
		"a reason, and no flag": {`{"tool":"numbers.add","pointer":"/sideEffects","sideEffect":"It is kept.",` +
			`"rule":"sideEffect.reachMilder","from":"external","to":"internal","why":"The disk moved in."}`, nil, cli.Bad},
		"a blank reason": {`{"tool":"numbers.add","pointer":"/sideEffects","sideEffect":"It is kept.",` +
			`"rule":"sideEffect.reachMilder","from":"external","to":"internal","why":" "}`, []string{"-reasons"}, cli.Bad},
		"one for another change": {`{"tool":"numbers.add","pointer":"/sideEffects","sideEffect":"It is gone.",` +
			`"rule":"sideEffect.reachMilder","from":"external","to":"internal","why":"It moved in."}`, []string{"-reasons"}, cli.Bad},
		"another file": {`{"tool": 1}`, []string{"-reasons"}, cli.Failed},
	} {
		if test.file != "" {
			require.NoError(t, os.WriteFile(beside, []byte(`{"format":1,"reasons":[`+test.file+`]}`), 0o600))
		}
		status, stdout, stderr := runCommand(t, append([]string{"diff", old, weaker}, test.args...)...)
		assert.Equal(t, test.status, status, "%s: %s%s", name, stdout, stderr)
		if test.status == cli.OK {
			assert.Contains(t, stdout, "(allowed: The disk moved in.)")
		}
		require.NoError(t, os.RemoveAll(beside))
	}
}

func TestDiff_AcceptsABreakingChangeOfARaisedVersion(t *testing.T) {
	t.Parallel()
	old := snapshot(t, adder("1.0.0").MustBuild())
	for version, want := range map[string]cli.Status{"2.0.0": cli.OK, "1.1.0": cli.Bad} {
		now := snapshot(t, adder(version).Permissions("numbers:add").MustBuild())
		status, stdout, _ := runCommand(t, "diff", "-allow-breaking", old, now)
		assert.Equal(t, want, status, version)
		assert.Contains(t, stdout, "not compatible")
		status, _, _ = runCommand(t, "diff", old, now)
		assert.Equal(t, cli.Bad, status, version)
	}
	status, _, stderr := runCommand(t, "diff", "-markdown", "-json", old, old)
	assert.Equal(t, cli.Failed, status)
	assert.NotEmpty(t, stderr)
}

func TestCheck_IsBadIfAFindingIsAnError(t *testing.T) {
	t.Parallel()
	var report struct {
		Findings []struct{ Rule, Severity string }
	}
	assert.Equal(t, cli.OK, runJSON(t, &report, "check", snapshot(t, adder("1.0.0").MustBuild())))
	untrusted := contract.New("numbers.add", add).Description("Adds.").Version("1.0.0").Effect(risk.ReadOnly).MustBuild()
	assert.Equal(t, cli.Bad, runJSON(t, &report, "check", snapshot(t, untrusted)))
	assert.Equal(t, "trust.undeclared", report.Findings[0].Rule)
	status, stdout, _ := runCommand(t, "check", snapshot(t, untrusted))
	assert.Equal(t, cli.Bad, status)
	assert.Contains(t, stdout, "trust.undeclared")
}

func TestInspect_ShowsTheContractsOfALiveServer(t *testing.T) {
	t.Setenv(serveStdio, "1")
	web := httptest.NewServer(server.NewStreamableHTTPServer(newServer()))
	t.Cleanup(web.Close)
	for name, target := range map[string][]string{"http": {web.URL + "/mcp"}, "stdio": {"--", os.Args[0], "-test.run=^$"}} {
		t.Run(name, func(t *testing.T) {
			var tools []listed
			status, stdout, stderr := runCommand(t, append([]string{"inspect", "-json"}, target...)...)
			require.Equal(t, cli.OK, status, stderr)
			require.NoError(t, json.Unmarshal([]byte(stdout), &tools))
			require.Len(t, tools, 2)
			assert.Equal(t, "numbers_add", tools[0].Name)
			var summary contract.Summary
			require.NoError(t, json.Unmarshal(tools[0].Contract, &summary))
			assert.Equal(t, risk.ReadOnly, summary.Effect)
			assert.Empty(t, tools[1].Contract)

			status, stdout, _ = runCommand(t, append([]string{"inspect"}, target...)...)
			assert.Equal(t, cli.OK, status)
			assert.NotContains(t, stdout, "\x1b")
			assert.Equal(t, 4, strings.Count(stdout, "\n"), "a title, two tools and a sum:\n%s", stdout)
		})
	}
}

// Results without a declared trust count as prone to injection.
func TestInspect_ShowsTheTrustThatApplies(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("numbers", "1.0.0")
	undeclared := contract.New("numbers.add", add).Description("Adds.").Version("1.0.0").Effect(risk.ReadOnly).MustBuild()
	tool := mcp.Tool{Name: "numbers_add", InputSchema: mcp.ToolInputSchema{Type: "object"}}
	tool.Meta = &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyContract: undeclared.Document().Summary()}}
	s.AddTools(server.ServerTool{Tool: tool}, server.ServerTool{Tool: mcp.NewTool("plain")})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(web.Close)
	status, stdout, _ := runCommand(t, "inspect", web.URL+"/mcp")
	assert.Equal(t, cli.OK, status)
	assert.Equal(t, 1, strings.Count(stdout, trust.PromptInjectionProne.String()), "not of a tool without a contract:\n%s", stdout)
}

func TestInspect_ExplainsAnEmptyList(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(server.NewStreamableHTTPServer(server.NewMCPServer("none", "1.0.0",
		server.WithToolCapabilities(true))))
	t.Cleanup(web.Close)
	status, stdout, _ := runCommand(t, "inspect", web.URL+"/mcp")
	assert.Equal(t, cli.OK, status)
	assert.Contains(t, stdout, "-header")
	status, stdout, _ = runCommand(t, "inspect", "-json", web.URL+"/mcp")
	assert.Equal(t, cli.OK, status)
	assert.Equal(t, "[]\n", stdout)
}

func TestInspect_ACommandNeedsTwoDashes(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"./server", "server", "127.0.0.1:8080/mcp", "ftp://127.0.0.1/mcp"} {
		status, _, stderr := runCommand(t, "inspect", target)
		assert.Equal(t, cli.Failed, status)
		assert.Contains(t, stderr, "http://", target)
		assert.Contains(t, stderr, "after --", target)
	}
}

func TestRun_AWrongCommandLineFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "empty.json")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	for name, args := range map[string][]string{
		"no command":        {},
		"an unknown one":    {"audit"},
		"too few arguments": {"diff", path},
		"too many":          {"check", path, path},
		"an unknown flag":   {"check", path, "-jsno"},
		"no file":           {"check", path + ".none"},
		"no log":            {"verify-audit", path + ".none"},
		"no snapshot":       {"check", path},
		"a bad header":      {"inspect", "-header", "Authorization", "http://127.0.0.1:1/mcp"},
		"no server":         {"inspect", "-timeout", "5s", "http://127.0.0.1:1/mcp"},
		"no program":        {"inspect", "--", path + ".none"},
		"nothing after --":  {"inspect", "--"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := runCommand(t, args...)
			assert.Equal(t, cli.Failed, status)
			assert.Empty(t, stdout)
			assert.NotEmpty(t, stderr)
		})
	}
}
