package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
)

// evident is the JSON form that scripts read.
type evident struct {
	Standard, Version string
	Tools             []string
	Counts            map[string]int
	Requirements      []contracttest.Requirement
}

func (e evident) of(t *testing.T, id string) contracttest.Requirement {
	t.Helper()
	for _, r := range e.Requirements {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no requirement %s", id)
	return contracttest.Requirement{}
}

func TestEvidence_IsThatOfASnapshot(t *testing.T) {
	t.Parallel()
	tool := adder("1.0.0").MustBuild()
	file := snapshot(t, tool)
	var found evident
	require.Equal(t, cli.OK, runJSON(t, &found, "evidence", "aisvs", file))
	want, err := contracttest.AISVS("1.0", tool.Document())
	require.NoError(t, err)
	require.Len(t, found.Requirements, len(want))
	for i, r := range found.Requirements {
		assert.Equal(t, want[i].Verdict, r.Verdict, r.ID)
	}
	assert.Equal(t, []string{"numbers_add"}, found.Tools)
	assert.Contains(t, found.of(t, "9.3.3").Lacks, "numbers_add")
	sum := 0
	for _, n := range found.Counts {
		sum += n
	}
	assert.Equal(t, len(found.Requirements), sum)

	require.Equal(t, cli.OK, runJSON(t, &found, "evidence", "aisvs", "-standard", "1.01-dev", file))
	assert.Equal(t, "1.01-dev", found.Version)
	assert.NotEmpty(t, found.of(t, "10.4.9").Demand)

	status, one, stderr := runCommand(t, "evidence", "aisvs", file)
	assert.Equal(t, cli.OK, status, stderr)
	_, other, _ := runCommand(t, "evidence", "aisvs", file)
	assert.Equal(t, one, other)
	for _, r := range want {
		assert.Equal(t, 1, strings.Count(one, "| **"+r.ID+"** "), r.ID)
	}
}

// Servers over stdio and HTTP list summaries, which leave out the limits.
func TestEvidence_IsThatOfAServer(t *testing.T) {
	t.Setenv(serveStdio, serveNotes)
	var over evident
	require.Equal(t, cli.OK, runJSON(t, &over, "evidence", "aisvs", os.Args[0]))
	for name, r := range map[string]contracttest.Requirement{"limits": over.of(t, "9.3.3"), "list": over.of(t, "9.2.3")} {
		assert.Equal(t, map[string]string{"limits": "unmet", "list": "met"}[name], r.Verdict, name)
		assert.Len(t, r.Lacks, map[string]int{"limits": len(over.Tools)}[name], name)
	}
	assert.Contains(t, over.Tools, "notes_delete")
	status, stdout, stderr := runCommand(t, overStdio("evidence", "aisvs")...)
	assert.Equal(t, cli.OK, status, stderr)
	assert.Contains(t, stdout, "`notes_delete`")
}

func TestEvidence_AToolWithoutAReadableContractMeetsNothing(t *testing.T) {
	t.Parallel()
	contracted, err := contracttest.ListedJSON(adder("1.0.0").MustBuild().Document(), contract.TierFull, contract.Underscore)
	require.NoError(t, err)
	for name, meta := range map[string]string{
		"none":      `{}`,
		"null":      `{"` + contract.MetaKeyContract + `":null}`,
		"no object": `{"` + contract.MetaKeyContract + `":"format"}`,
		"a risk of the future": `{"` + contract.MetaKeyContract + `":{"format":1,"risk":"cosmic","failureModes":[{"code":"a",` +
			`"class":"fatal","by":"guard"}]}}`,
		"a contract that forbids it": `{"` + contract.MetaKeyContract + `":{"format":1,"risk":"forbidden","failureModes":[` +
			`{"code":"a","class":"fatal","by":"guard"}]}}`,
	} {
		path := filepath.Join(t.TempDir(), "tools.json")
		text := `{"tools":[` + string(contracted) + `,{"name":"plain","inputSchema":{"type":"object"},"_meta":` + meta + `}]}`
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		var found evident
		require.Equal(t, cli.OK, runJSON(t, &found, "evidence", "aisvs", path), name)
		assert.Zero(t, found.Counts["met"]+found.Counts["declared"], name)
		assert.Contains(t, found.of(t, "9.2.3").Lacks, "plain", name)
		assert.Contains(t, found.of(t, "9.2.3").By, "numbers_add", name)
	}
}

// A server's names, permissions and schemas end up in the report.
func TestEvidence_ShowsTextsOfAServerLiterally(t *testing.T) {
	t.Parallel()
	const hostile = "x|`<img src=//a.example>\n| **9.1.1** [a](https://b.example) @team ![](c) \x1b[31m&lt; **all tools**"
	doc := adder("1.0.0").MustBuild().Document()
	doc.Permissions = []string{"x|`<img/src=//a.example>[a](https://b.example)@team![](c)&lt;**all-tools**"}
	doc.InputSchema = json.RawMessage(`{"type":"object","properties":{` + quoted(t, hostile) + `:{"type":"object"}}}`)
	raw, err := contracttest.ListedJSON(doc, contract.TierFull, contract.Underscore)
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(raw, &members))
	members["name"] = hostile
	text, err := json.Marshal(map[string]any{"tools": []any{members, map[string]any{"name": "plain"}}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "tools.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	status, stdout, stderr := runCommand(t, "evidence", "aisvs", path)
	require.Equal(t, cli.OK, status, stderr)
	rows := 0
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, "| **") {
			continue
		}
		rows++
		assert.Equal(t, 6, strings.Count(line, "|")-strings.Count(line, `\|`), line)
	}
	all, err := contracttest.AISVS("1.0")
	require.NoError(t, err)
	assert.Equal(t, len(all), rows)
	for _, active := range []string{"<img", "@team", "\x1b", "[a](", "https://b", "![", "**all tools** "} {
		assert.NotContains(t, stdout, active)
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	require.NoError(t, err)
	return string(raw)
}

func TestEvidence_RefusesWrongArguments(t *testing.T) {
	t.Parallel()
	file := snapshot(t, adder("1.0.0").MustBuild())
	odd := filepath.Join(t.TempDir(), "odd.json")
	require.NoError(t, os.WriteFile(odd, []byte(`{"tools":[7]}`), 0o600))
	for name, args := range map[string][]string{
		"no standard":           {"evidence"},
		"an unknown standard":   {"evidence", "asvs", file},
		"an unknown version":    {"evidence", "aisvs", "-standard", "2.0", file},
		"no server":             {"evidence", "aisvs"},
		"two files":             {"evidence", "aisvs", file, file},
		"a file that is absent": {"evidence", "aisvs", file + "x"},
		"no list of tools":      {"evidence", "aisvs", odd},
	} {
		status, stdout, stderr := runCommand(t, args...)
		assert.Equal(t, cli.Failed, status, name)
		assert.Empty(t, stdout, name)
		assert.NotEmpty(t, stderr, name)
	}
}
