package commandtest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/toolcontract/toolcontract"

// dir has the binaries of the command and of the examples.
var dir string

func TestMain(m *testing.M) {
	status := 1
	defer func() { os.Exit(status) }()
	var err error
	if dir, err = os.MkdirTemp("", "commandtest"); err != nil {
		return
	}
	defer os.RemoveAll(dir)
	build := exec.CommandContext(context.Background(), "go", "build", "-o", dir+string(filepath.Separator),
		module+"/cmd/toolcontract", module+"/cmd/toolcontract-state", module+"/examples/calculator", module+"/examples/emails",
		module+"/examples/invoices")
	build.Stderr = os.Stderr
	if build.Run() == nil {
		status = m.Run()
	}
}

// ended is what became of a call.
type ended struct {
	Status, Code, URL, Advice string
	Structured                json.RawMessage
	Preview                   json.RawMessage
	Violations                []struct{ Pointer string }
}

// called runs toolcontract call with -json, and returns its exit status.
func called(t *testing.T, args ...string) (status int, e ended) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "toolcontract"), append([]string{"call", "-json"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // the status has the failure
	require.NoError(t, json.Unmarshal(out, &e), "%s%s", out, stderr.String())
	return cmd.ProcessState.ExitCode(), e
}

func TestCall_OfTheExamplesOverStdio(t *testing.T) {
	t.Parallel()
	stdio := func(name string, args ...string) []string { return append(args, "--", filepath.Join(dir, name)) }

	status, e := called(t, stdio("calculator", "calculator_add", "a=1.5", "b=2")...)
	assert.Zero(t, status)
	assert.JSONEq(t, `{"result":3.5}`, string(e.Structured))

	status, e = called(t, stdio("emails", "contacts_search", "query=anna")...)
	assert.Zero(t, status)
	assert.Contains(t, string(e.Structured), "anna@example.com")
	status, e = called(t, stdio("emails", "emails_send_external", "to=x")...)
	assert.Equal(t, 1, status)
	assert.Equal(t, "invalid_input", e.Code)
	assert.NotEmpty(t, e.Violations)
	status, e = called(t, stdio("emails", "emails_send_external", "to=x@example.org", "subject=s", "body=b")...)
	assert.Equal(t, 1, status)
	assert.Equal(t, "confirmation_required", e.Code)
	send := stdio("emails", "emails_send_external", "to=x@example.org", "subject=s", "body=b")
	status, e = called(t, append(send, "-approval", "-browser=false")...)
	assert.Equal(t, 1, status)
	assert.Equal(t, "confirmation_pending", e.Code)
	assert.NotContains(t, e.Advice, "-key", "the page has ended with the server")

	status, e = called(t, stdio("invoices", "customers_list")...)
	assert.Zero(t, status, e.Code)
	assert.NotEmpty(t, e.Structured)
}

func TestCall_OfAnExampleOverHTTP(t *testing.T) {
	t.Parallel()
	server := exec.CommandContext(t.Context(), filepath.Join(dir, "emails"), "-http", "127.0.0.1:0", "-approval")
	server.Env = append(os.Environ(), "CI=1")
	stderr, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	})
	first, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	url := strings.TrimPrefix(strings.TrimSpace(first), "listening on ")

	alice := []string{"-header", "Authorization: Bearer alice", url}
	status, e := called(t, append(alice, "contacts_search", "query=anna")...)
	assert.Zero(t, status)
	assert.Contains(t, string(e.Structured), "anna@example.com")
	status, e = called(t, append(alice, "emails_send_external", `{"to":["x@example.org"],"subject":"s","body":"b"}`)...)
	assert.Equal(t, 1, status)
	assert.Equal(t, "confirmation_pending", e.Code, "a person decides at the address")
	assert.Contains(t, e.URL, "/approvals")
	assert.NotContains(t, e.Advice, "-key", "the tool takes none")
}
