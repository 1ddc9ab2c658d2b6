package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// A program is a server whose source is a script that names one of the servers
// of this test binary.
type program struct {
	t    *testing.T
	path string
}

func newProgram(t *testing.T) program {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script of a shell")
	}
	p := program{t, filepath.Join(t.TempDir(), "server")}
	p.change(serveNotes)
	return p
}

// change changes the source, as an editor does: by another file of the name.
func (p program) change(serves string) {
	p.t.Helper()
	script := fmt.Sprintf("#!/bin/sh\nunset %s\n%s=%s exec %s '-test.run=^$'\n", commandLine, serveStdio, serves, os.Args[0])
	if serves == "" {
		script = "#!/bin/sh\necho it does not compile >&2\nexit 1\n"
	}
	require.NoError(p.t, os.WriteFile(p.path+".new", []byte(script), 0o700))
	require.NoError(p.t, os.Rename(p.path+".new", p.path))
}

// A buffer is read while it is written.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// expect waits until a text is there. That of a process comes late.
func (b *buffer) expect(t *testing.T, text string) {
	t.Helper()
	assert.Eventually(t, func() bool { return strings.Contains(b.String(), text) }, 30*time.Second, 5*time.Millisecond, text)
}

func namesOf(t *testing.T, raw []json.RawMessage) (names []string) {
	t.Helper()
	for _, text := range raw {
		var tool struct{ Name string }
		require.NoError(t, json.Unmarshal(text, &tool))
		names = append(names, tool.Name)
	}
	return names
}

func TestDev_NoticesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.change(serveNoisy)
	var log buffer
	line := strings.Join([]string{"dev", "-every", "20ms", "--", p.path}, "\n")
	c := client.New(client.Command{Path: os.Args[0], Env: append(os.Environ(), commandLine+"="+line), Stderr: &log})
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := c.ListTools(ctx)
	require.NoError(t, err)
	log.expect(t, "its stdout")
}

func TestDev_KeepsTheSessionOfANewerClientOpen(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	var log buffer
	line := strings.Join([]string{"dev", "-every", "20ms", "--", p.path}, "\n")
	c := client.New(client.Command{Path: os.Args[0], Env: append(os.Environ(), commandLine+"="+line), Stderr: &log})
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tools, err := c.ListTools(ctx)
	require.NoError(t, err)
	assert.Equal(t, "2026-07-28", tools.Version)
	assert.Contains(t, namesOf(t, tools.Tools), "notes_read")
	_, err = c.Call(ctx, client.CallParams{Name: "notes_read", Arguments: json.RawMessage(`{"id":"secret"}`)})
	require.NoError(t, err)
	_, err = c.Call(ctx, client.CallParams{Name: "notes_delete", Arguments: json.RawMessage(`{"id":"secret"}`)})
	require.NoError(t, err)
	log.expect(t, "notes_delete failed: confirmation_required")
	assert.Regexp(t, `\d\d:\d\d:\d\d notes_read ok, \d+ ms\n`, log.String())
	assert.NotContains(t, log.String(), "secret")

	for i, heard := 0, false; !heard; i++ { // the client may not have subscribed before the first change
		p.change([]string{"numbers", serveNotes}[i%2])
		select {
		case <-c.Changed():
			heard = true
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			t.Fatal("the client does not hear of a change: ", log.String())
		}
	}
	p.change("numbers")
	require.Eventually(t, func() bool {
		tools, err := c.ListTools(ctx)
		return assert.NoError(t, err) && slices.Contains(namesOf(t, tools.Tools), "numbers_add")
	}, time.Minute, 10*time.Millisecond)
	log.expect(t, "started again: ")
}

func TestDev_GreetsANewServerForAnOlderClient(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	in, typed := io.Pipe()
	out, written := io.Pipe()
	var log buffer
	done := make(chan cli.Status, 1)
	go func() {
		done <- cli.Run(t.Context(), commands(), []string{"dev", "-every", "20ms", "--", p.path},
			&cli.Terminal{Stdin: in, Stdout: written, Stderr: &log})
		_ = written.Close()
	}()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	send := func(line string) {
		_, err := io.WriteString(typed, line+"\n")
		require.NoError(t, err)
	}
	expect := func(texts ...string) {
		t.Helper()
		require.True(t, lines.Scan(), log.String())
		for _, text := range texts {
			assert.Contains(t, lines.Text(), text)
		}
	}
	send(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}`)
	expect(`"id":"a"`, `"listChanged":true`)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":"b","method":"tools/list"}`)
	expect(`"id":"b"`, "notes_read")

	p.change("") // it does not start
	log.expect(t, "it does not compile")
	log.expect(t, "the server does not start")
	send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"notes_read","arguments":{"id":"x"}}}`)
	expect(`"id":7`, `"error"`)

	p.change("numbers")
	expect("notifications/tools/list_changed")
	send(`{"jsonrpc":"2.0","id":8,"method":"tools/list"}`)
	expect(`"id":8`, "numbers_add")
	send("no JSON")
	expect("-32700")
	require.NoError(t, typed.Close())
	assert.Equal(t, cli.OK, <-done)
}

// slowRuns is what the server of a call of notes_slow prints.
const slowRuns = "notes_slow runs"

func TestDev_ARunningCallEndsBeforeItsServer(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	var log buffer
	line := strings.Join([]string{"dev", "-every", "20ms", "--", p.path}, "\n")
	c := client.New(client.Command{Path: os.Args[0], Env: append(os.Environ(), commandLine+"="+line), Stderr: &log})
	defer c.Close()
	_, err := c.ListTools(t.Context())
	require.NoError(t, err)
	answered := make(chan error, 1)
	go func() {
		_, err := c.Call(t.Context(), client.CallParams{Name: "notes_slow", Arguments: json.RawMessage(`{"id":"n1"}`)})
		answered <- err
	}()
	log.expect(t, slowRuns)
	p.change("numbers")
	require.NoError(t, <-answered, log.String())
}
