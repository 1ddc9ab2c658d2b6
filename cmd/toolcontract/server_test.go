package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// ofServers are the command lines of the commands that need a server, without
// the server.
var ofServers = map[string][]string{
	"list": {"list"}, "call": {"call", "notes_read", "id=n1"}, "inspect": {"inspect"}, "lint": {"lint"},
	"export": {"export", "claude"},
}

func TestServer_ThatCannotStartHasItsReasonShown(t *testing.T) {
	t.Setenv(serveStdio, serveBroken)
	for name, line := range ofServers {
		status, stdout, stderr := runCommand(t, overStdio(line...)...)
		assert.Equal(t, cli.Failed, status, name)
		assert.Empty(t, stdout, name)
		const logged = "the port is in use\n  port 80\nend\n"
		assert.True(t, strings.HasPrefix(stderr, logged+"toolcontract "+name+": the tools of the server cannot be listed: "), stderr)
		status, _, stderr = runCommand(t, append([]string{line[0], "-logs"}, overStdio(line[1:]...)...)...)
		assert.Equal(t, cli.Failed, status, name)
		for line := range strings.Lines(logged) {
			assert.Contains(t, stderr, line, name)
		}
		assert.NotContains(t, stderr, "\x1b", name)
	}
}

func TestServer_DoesNotDriveTheTerminalWithItsTexts(t *testing.T) {
	t.Setenv(serveStdio, "1")
	for name, line := range map[string][]string{
		"list": {"list", "-json"}, "inspect": {"inspect", "-json"}, "lint": {"lint", "-json"}, "sarif": {"lint", "-sarif"},
		"export": {"export", "openai-legacy", "-json"}, "claude": {"export", "claude"}, "text": {"list"},
	} {
		_, stdout, stderr := runCommand(t, overStdio(line...)...)
		assert.Contains(t, stdout, "numbers_add", name)
		for _, r := range stdout + stderr {
			assert.False(t, r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf), "%s: %U", name, r)
		}
	}
	var tools []listed
	assert.Equal(t, cli.OK, runJSON(t, &tools, "list", os.Args[0]))
	assert.Equal(t, hostileName, tools[1].Name, "a program gets the name as it is")
}

func TestServer_ThatWritesToItsStdoutIsNoticed(t *testing.T) {
	t.Setenv(serveStdio, serveNoisy)
	for name, line := range ofServers {
		if name == "export" {
			line = []string{"export", "openai-legacy"}
		}
		_, _, stderr := runCommand(t, overStdio(line...)...)
		assert.Equal(t, 1, strings.Count(stderr, "its stdout"), "%s: %s", name, stderr)
	}
	t.Setenv(serveStdio, serveNotes)
	_, _, stderr := runCommand(t, overStdio("list")...)
	assert.NotContains(t, stderr, "its stdout")
}

func TestServer_ThatIsSilentEndsTheWait(t *testing.T) {
	t.Setenv(serveStdio, serveSilent)
	for name, line := range ofServers {
		status, _, stderr := runCommand(t, append([]string{line[0], "-timeout", "150ms"}, overStdio(line[1:]...)...)...)
		assert.Equal(t, cli.Failed, status, name)
		assert.Equal(t, "toolcontract "+name+": the server did not answer within 150ms; -timeout sets another time\n", stderr)

		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(150*time.Millisecond, interrupt)
		var stdout, errs bytes.Buffer
		status = cli.Run(ctx, commands(), overStdio(line...), &cli.Terminal{Stdin: new(bytes.Buffer), Stdout: &stdout, Stderr: &errs})
		assert.Equal(t, cli.Failed, status, name)
		assert.Equal(t, "toolcontract "+name+": interrupted before the server answered\n", errs.String())
	}
}
