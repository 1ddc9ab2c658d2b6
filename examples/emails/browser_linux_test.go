package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/chromiumtest"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

// A desktop stands in for the program that opens a browser. It records the
// addresses.
type desktop struct {
	t     *testing.T
	pipe  *os.File
	lines *bufio.Reader
	path  string
}

func newDesktop(t *testing.T) *desktop {
	t.Helper()
	folder := t.TempDir()
	name := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" > "+name+"\n"), 0o700))
	pipe, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = pipe.Close() })
	return &desktop{t, pipe, bufio.NewReader(pipe), folder}
}

// server returns the command of a server on this desktop, with -approval.
func (d *desktop) server(flags ...string) *exec.Cmd {
	d.t.Helper()
	cmd := exampletest.Command(d.t, append([]string{"-approval"}, flags...)...)
	cmd.Env = append(cmd.Env, "PATH="+d.path+":"+os.Getenv("PATH"), "DISPLAY=:0", "CI=", "SSH_CONNECTION=",
		"SSH_CLIENT=", "SSH_TTY=")
	return cmd
}

// opened returns the next address that was opened.
func (d *desktop) opened() string {
	d.t.Helper()
	require.NoError(d.t, d.pipe.SetReadDeadline(time.Now().Add(time.Minute)))
	line, err := d.lines.ReadString('\n')
	require.NoError(d.t, err, "no browser was opened")
	return strings.TrimSpace(line)
}

// A person who sees neither the standard error of the server nor a question of
// the client decides in the browser, which opens.
func TestApproval_OverStdioTheBrowserOpens(t *testing.T) {
	t.Parallel()
	browser := chromiumtest.Start(t)
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			d := newDesktop(t)
			c := exampletest.StdioOf(t, d.server(), era)
			question := sendPending(t, c)
			address := d.opened()
			assert.True(t, strings.HasPrefix(address, question+"?secret="), address)
			sendPending(t, c)
			browser.Open(address, "form")
			assert.Contains(t, browser.HTML("main"), "anna@example.com")
			browser.Press("button.yes", ".decided.yes")
			sentOnce(t, c)
			assert.Zero(t, d.lines.Buffered(), "one window for each question")
		})
	}
}

// A host opens addresses, and passes them to the test.
type host chan string

func (h host) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	h <- r.Params.URL
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept}}, nil
}

// A client that opens addresses sends its user to the page. The page signs the
// user in by another window, because the client must not get an address that
// signs anybody in.
func TestApproval_OverStdioTheClientOpensThePage(t *testing.T) {
	t.Parallel()
	browser := chromiumtest.Start(t)
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			d, h := newDesktop(t), make(host, 1)
			c := exampletest.StdioOf(t, d.server(), era, client.WithElicitationHandler(h),
				client.WithClientCapabilities(mcp.ClientCapabilities{
					Elicitation: &mcp.ElicitationCapability{URL: &struct{}{}},
				}))
			answered := make(chan *mcp.CallToolResult, 1)
			go func() {
				result, err := c.CallTool(exampletest.Patient(t),
					mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "emails.send_external", Arguments: json.RawMessage(lunch)}})
				assert.NoError(t, err)
				answered <- result
			}()
			var question string
			select {
			case question = <-h:
			case result := <-answered:
				require.Fail(t, "the client was not asked", "%v", result)
			}
			assert.NotContains(t, question, "secret")
			browser.Open(question, "form")
			assert.Contains(t, browser.HTML("h1"), "Not signed in")
			browser.Press("button.yes", "h1")
			address := d.opened()
			assert.True(t, strings.HasPrefix(address, question+"?secret="), address)
			browser.Open(address, "form")
			browser.Press("button.yes", ".decided.yes")
			require.NotNil(t, <-answered)
			_, outcome := exampletest.Call(t, c, "emails.send_external", lunch)
			assert.Contains(t, []contract.Status{contract.StatusOK, contract.StatusReplayed}, outcome.Status,
				"a busy machine may have decided too late for the first call")
			assert.Zero(t, d.lines.Buffered())
		})
	}
}

func TestApproval_OverStdioTheBrowserIsOptional(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	c := exampletest.StdioOf(t, d.server("-browser=false"), exampletest.Modern)
	sendPending(t, c)
	require.NoError(t, c.Close())
	require.NoError(t, d.pipe.SetReadDeadline(time.Now().Add(time.Second)))
	_, err := d.lines.ReadString('\n')
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
}
