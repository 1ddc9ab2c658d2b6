package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// called is the JSON form of a call that scripts read.
type called struct {
	Tool, Status, Code, Key, Advice, Hint string
	Attempts                              int
	Violations                            []struct{ Rule, Pointer, Message string }
	Structured                            json.RawMessage
	EffectPossible                        bool
}

// overStdio ends a command line with this test binary as the notes.
func overStdio(args ...string) []string { return append(args, "--", os.Args[0], "-test.run=^$") }

func TestCall_PrintsTheResultOverStdioAndHTTP(t *testing.T) {
	t.Setenv(serveStdio, serveNotes)
	url := new(notes).serveHTTP(t)
	for name, line := range map[string][]string{
		"http":    {"call", "-header", "Authorization: Bearer anna", url, "notes_read", "id=n1", "max=2", "tags=a", "tags=b"},
		"json":    {"call", "-header", "Authorization: Bearer anna", url, "notes.read", `{"id":"n1","max":2,"tags":["a","b"]}`},
		"program": {"call", os.Args[0], "notes_read", "id=n1", "max=2", "tags=a", "tags=b"},
		"stdio":   overStdio("call", "notes_read", "id=n1", "max=2", `tags=["a","b"]`),
	} {
		status, stdout, stderr := runCommand(t, line...)
		assert.Equal(t, cli.OK, status, name+stderr)
		assert.JSONEq(t, `{"id":"n1","max":2,"tags":["a","b"]}`, stdout, name)
		assert.Contains(t, stderr, "notes_read: low risk, read-only, asks no person", name)
		assert.Contains(t, stderr, "not trusted", name)
		assert.NotContains(t, stderr, "\x1b", name)
	}
}

func TestCall_ShowsMistakesBeforeItSends(t *testing.T) {
	t.Parallel()
	n := new(notes)
	url := n.serveHTTP(t)
	line := []string{"call", "-header", "Authorization: Bearer anna", url, "notes_delete"}
	status, stdout, stderr := runCommand(t, append(line, "max=many", "ids=1")...)
	assert.Equal(t, cli.Bad, status)
	assert.Empty(t, stdout)
	for _, text := range []string{
		"/id: is required", "/max: must be an integer", "/ids: is not a known property", "nothing was sent",
	} {
		assert.Contains(t, stderr, text)
	}
	var found called
	assert.Equal(t, cli.Bad, runJSON(t, &found, append(line, "id=")...))
	assert.Equal(t, "invalid_input", found.Code)
	assert.Equal(t, "/id", found.Violations[0].Pointer)
	assert.Zero(t, found.Attempts)
}

func TestCall_WithoutATerminalNoPersonIsAsked(t *testing.T) {
	t.Parallel()
	n := new(notes)
	line := []string{"call", "-header", "Authorization: Bearer anna", n.serveHTTP(t), "-key", "k1", "notes_delete", "id=n1"}
	status, stdout, stderr := runCommand(t, line...)
	assert.Equal(t, cli.Bad, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "failed: confirmation_required")
	assert.Contains(t, stderr, "next: ")
	var found called
	assert.Equal(t, cli.Bad, runJSON(t, &found, line...))
	assert.Equal(t, "confirmation_required", found.Code)
	assert.Equal(t, "k1", found.Key)
	assert.False(t, found.EffectPossible)
	assert.Zero(t, n.deleted.Load())

	survey := []string{"call", serveSurvey(t), "survey"}
	assert.Equal(t, cli.Bad, runJSON(t, &found, survey...))
	assert.Equal(t, "confirmation_required", found.Code, "it has no contract")
	assert.Zero(t, found.Attempts)
	assert.Equal(t, cli.OK, runJSON(t, &found, append(survey, "-yes")...))
	assert.Contains(t, string(found.Structured), "cancel", "the question of the server has no answer")
}

func TestCall_MakesTheDryRunOnly(t *testing.T) {
	t.Parallel()
	n := new(notes)
	line := []string{"call", "-header", "Authorization: Bearer anna", n.serveHTTP(t), "-dry-run"}
	status, stdout, stderr := runCommand(t, append(line, "notes_purge", "id=n1")...)
	assert.Equal(t, cli.OK, status, stderr)
	assert.Contains(t, stdout, "Three links lead to it.")
	assert.Contains(t, stderr, "dry-run in ")
	status, _, stderr = runCommand(t, append(line, "notes_delete", "id=n1")...)
	assert.Equal(t, cli.Failed, status)
	assert.Contains(t, stderr, "declares no dry run")
	assert.Zero(t, n.deleted.Load())
}

func TestCall_ReadsTheArgumentsFromStdin(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	line := []string{"call", "-header", "Authorization: Bearer anna", new(notes).serveHTTP(t), "notes_read", "-"}
	on := &cli.Terminal{Stdin: strings.NewReader(`{"id":"n7"}`), Stdout: &stdout, Stderr: &stderr}
	assert.Equal(t, cli.OK, cli.Run(t.Context(), commands(), line, on), stderr.String())
	assert.JSONEq(t, `{"id":"n7"}`, stdout.String())
}

func TestCall_RefusesAWrongLine(t *testing.T) {
	t.Parallel()
	url := new(notes).serveHTTP(t)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no tool":         {nil, "a tool is required"},
		"an unknown tool": {[]string{"notes_write"}, "no tool of this name"},
		"no pair":         {[]string{"notes_read", "id"}, "KEY=VALUE"},
		"no object":       {[]string{"notes_read", "{"}, "not a JSON object"},
		"a repeated key":  {[]string{"notes_read", "id=1", "id=2"}, "repeated"},
	} {
		status, stdout, stderr := runCommand(t, append([]string{"call", "-header", "Authorization: Bearer anna", url}, test.args...)...)
		assert.Equal(t, cli.Failed, status, name)
		assert.Empty(t, stdout, name)
		assert.Contains(t, stderr, test.want, name)
	}
}

func TestList_ShowsToolsAndOneTool(t *testing.T) {
	t.Setenv(serveStdio, serveNotes)
	var tools []struct{ Name, Line string }
	status, stdout, stderr := runCommand(t, overStdio("list", "-json")...)
	require.Equal(t, cli.OK, status, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &tools))
	require.Len(t, tools, 5)
	assert.Equal(t, "notes_delete", tools[0].Name)
	assert.Contains(t, tools[0].Line, "critical risk")
	status, stdout, _ = runCommand(t, "list", serveSurvey(t))
	assert.Equal(t, cli.OK, status)
	assert.Contains(t, stdout, "no contract")

	status, stdout, _ = runCommand(t, overStdio("list")...)
	assert.Equal(t, cli.OK, status)
	assert.Equal(t, 5, strings.Count(stdout, "\n"), stdout)
	assert.Contains(t, stdout, "critical, destructive")
	status, stdout, _ = runCommand(t, overStdio("list", "notes.purge")...)
	assert.Equal(t, cli.OK, status)
	for _, text := range []string{"dry run first", "id=string (required)", "The id of the note.", "tags=array"} {
		assert.Contains(t, strings.Join(strings.Fields(stdout), " "), text)
	}
}

func TestServer_IsTheFileOfAProgramToo(t *testing.T) {
	t.Setenv(serveStdio, serveNotes)
	for name, args := range map[string][]string{
		"list":    {"list", os.Args[0]},
		"inspect": {"inspect", os.Args[0]},
		"lint":    {"lint", "-json", "-host", "vscode", os.Args[0]},
		"export":  {"export", "claude", os.Args[0]},
	} {
		status, stdout, stderr := runCommand(t, args...)
		assert.NotEqual(t, cli.Failed, status, "%s: %s", name, stderr)
		assert.Contains(t, stdout, "notes_delete", name)
	}
}

// No command shows a tool whose arguments can waive the question as one that
// asks before each call.
func TestThreat169_CommandsShowBothEndsOfAContract(t *testing.T) {
	t.Parallel()
	n := new(notes)
	url := n.serveHTTP(t)
	const line = "at least medium and at most critical risk, at least low-risk-write and at most destructive, " +
		"at most irreversible, asks about some calls"
	with := func(command ...string) (cli.Status, string) {
		status, stdout, stderr := runCommand(t, append([]string{command[0], "-header", "Authorization: Bearer anna", url},
			command[1:]...)...)
		return status, strings.Join(strings.Fields(stdout+stderr), " ")
	}
	status, text := with("call", "notes_tidy", "id=n1")
	assert.Equal(t, cli.OK, status, text)
	assert.Contains(t, text, "notes_tidy: "+line)
	assert.EqualValues(t, 1, n.deleted.Load(), "no person was asked")
	status, text = with("call", "notes_tidy", "id=all")
	assert.Equal(t, cli.Bad, status)
	assert.Contains(t, text, "confirmation_required")
	_, text = with("list", "notes_tidy")
	assert.Contains(t, text, line)
	_, text = with("list")
	assert.Contains(t, text, "at least medium and at most critical, at least low-risk-write and at most destructive")
	_, text = with("inspect")
	assert.Contains(t, text, "at least medium, at most critical")
	assert.Contains(t, text, "at least never, at most always")
}
