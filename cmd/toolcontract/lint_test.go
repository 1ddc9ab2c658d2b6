package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contracttest"
)

// listFile writes a result of tools/list with three writes and a bad argument.
func listFile(t *testing.T) string {
	t.Helper()
	write := `"description":"Adds.","annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false}`
	path := filepath.Join(t.TempDir(), "tools.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"tools":[
{"name":"notes_add",`+write+`,"inputSchema":{"type":"object"}},
{"name":"notes_change",`+write+`,"inputSchema":{"type":"object"}},
{"name":"notes_move",`+write+`,"inputSchema":{"type":"object","properties":{"to whom":{"type":"string"}}}}
]}`), 0o600))
	return path
}

func TestLint_FindsWhatHostsDo(t *testing.T) {
	t.Parallel()
	file := listFile(t)
	status, stdout, stderr := runCommand(t, "lint", "-host", "codex,claude-code@2026-08", file)
	assert.Equal(t, cli.Bad, status, stderr)
	assert.Contains(t, stdout, "error    host.schema.property  notes_move: inputSchema/properties/to whom: Claude Code leaves")
	assert.Contains(t, stdout, "warning  host.hints.unasked  3 tools: notes_add, notes_change, notes_move: Codex runs the write")
	assert.Contains(t, stdout, "\nhost.schema.property: rename the argument\n")
	assert.Contains(t, stdout, "3 tools, 2 hosts: 1 error, 3 warnings, ")

	status, stdout, _ = runCommand(t, "lint", "-host", "codex", file)
	assert.Equal(t, cli.OK, status, stdout)
	accept := []string{"-accept", "host.schema.property:notes_move=It has no callers."}
	status, _, _ = runCommand(t, append([]string{"lint", "-host", "claude-code", file}, accept...)...)
	assert.Equal(t, cli.OK, status)
	status, stdout, _ = runCommand(t, "lint", "-host", "codex", "-accept", "host.schema.property=gone", file)
	assert.Equal(t, cli.Bad, status)
	assert.Contains(t, stdout, "accept.stale")
}

func TestLint_ALineHasWhatEachModeDoes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tools.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"tools":[{"name":"notes_add","description":"Adds.","inputSchema":{"type":"object"},
"annotations":{"readOnlyHint":true,"destructiveHint":true,"openWorldHint":false}}]}`), 0o600))
	_, stdout, _ := runCommand(t, "lint", "-host", "codex", path)
	assert.Contains(t, stdout, "Codex asks about a read-only tool that is destructive, in its mode auto\n")
	assert.Contains(t, stdout, "Codex runs a read-only tool that is destructive, in its mode writes\n")
}

func TestLint_ReadsSnapshotsAndServers(t *testing.T) {
	t.Parallel()
	var found contracttest.Inspection
	assert.Equal(t, cli.OK, runJSON(t, &found, "lint", snapshot(t, adder("1.0.0").MustBuild())))
	assert.Equal(t, []string{"numbers_add"}, found.Tools)
	web := httptest.NewServer(server.NewStreamableHTTPServer(newServer()))
	t.Cleanup(web.Close)
	assert.Equal(t, cli.OK, runJSON(t, &found, "lint", "-host", "codex", web.URL+"/mcp"))
	assert.Len(t, found.Tools, 2)
	status, stdout, _ := runCommand(t, "lint", "-host", "codex", web.URL+"/mcp")
	assert.Equal(t, cli.OK, status)
	assert.NotContains(t, stdout, "\x1b", "the name of a tool does not drive the terminal")
	assert.Contains(t, stdout, "host.name.folded")
}

func TestLint_PrintsSARIF(t *testing.T) {
	t.Parallel()
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
					LogicalLocations []struct{ FullyQualifiedName string }
				}
				Suppressions []struct{ Kind, Justification string }
			}
		}
	}
	file := listFile(t)
	args := []string{"lint", "-sarif", "-host", "claude-code,codex", "-accept", "host.hints.unasked=Undone.", file}
	status, stdout, stderr := runCommand(t, args...)
	assert.Equal(t, cli.Bad, status, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &log))
	assert.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs, 1)
	run := log.Runs[0]
	levels := map[string]int{}
	for _, r := range run.Results {
		levels[r.Level]++
		assert.Equal(t, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		assert.NotEmpty(t, r.Message.Text)
		require.Len(t, r.Locations, 1)
		assert.True(t, strings.HasSuffix(r.Locations[0].PhysicalLocation.ArtifactLocation.URI, "tools.json"))
		assert.Equal(t, r.RuleID == "host.hints.unasked", len(r.Suppressions) == 1)
		if r.RuleID == "host.schema.property" {
			assert.Equal(t, 4, r.Locations[0].PhysicalLocation.Region.StartLine)
			assert.Equal(t, "notes_move/inputSchema/properties/to whom", r.Locations[0].LogicalLocations[0].FullyQualifiedName)
		}
	}
	assert.Equal(t, 1, levels["error"])
	assert.Equal(t, 3, levels["warning"])
	assert.Positive(t, levels["note"])
}

func TestLint_AStaleAcceptanceNamesItsRule(t *testing.T) {
	t.Parallel()
	_, stdout, _ := runCommand(t, "lint", "-host", "codex", "-accept", "host.old=Gone.", "-accept", "host.older=Gone too.",
		"-accept", "host.hints.unasked:notes_gone=Gone.", "-accept", "host.name.long:notes_gone=Gone.", listFile(t))
	for _, stale := range []string{
		"host.old: ", "host.older: ", "notes_gone: host.hints.unasked: ", "notes_gone: host.name.long: ",
	} {
		assert.Equal(t, 1, strings.Count(stdout, "accept.stale  "+stale), "%s in %s", stale, stdout)
	}
}

func TestLint_TheAddressOfAFileInSARIFIsEscaped(t *testing.T) {
	t.Parallel()
	file := filepath.Join(filepath.Dir(listFile(t)), "a%20 b.json")
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "tools.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	_, stdout, _ := runCommand(t, "lint", "-sarif", "-host", "codex", file)
	assert.Contains(t, stdout, `/a%2520%20b.json"`)
}

func TestLint_RefusesWrongArguments(t *testing.T) {
	t.Parallel()
	file := listFile(t)
	other := filepath.Join(t.TempDir(), "other.json")
	require.NoError(t, os.WriteFile(other, []byte(`{"servers":[]}`), 0o600))
	for name, args := range map[string][]string{
		"no server":             {"lint"},
		"two files":             {"lint", file, file},
		"an unknown host":       {"lint", "-host", "netscape", file},
		"a date that is none":   {"lint", "-host", "codex@soon", file},
		"an empty reason":       {"lint", "-accept", "host.name.long= ", file},
		"two forms of output":   {"lint", "-sarif", "-json", file},
		"a file that is absent": {"lint", file + "x"},
		"another file":          {"lint", other},
	} {
		status, stdout, stderr := runCommand(t, args...)
		assert.Equal(t, cli.Failed, status, name)
		assert.Empty(t, stdout, name)
		assert.NotEmpty(t, stderr, name)
	}
}
