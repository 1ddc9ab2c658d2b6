package migration_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

// A server is one of the two programs, served over stdio.
type server struct {
	t       *testing.T
	in      io.WriteCloser
	answers *json.Decoder
	id      int // of the last request
}

// A result is the result of a tool call.
type result struct {
	Content           []struct{ Type, Text string }
	IsError           bool
	StructuredContent json.RawMessage
	Meta              map[string]json.RawMessage `json:"_meta"`
}

// start builds and starts a program. Its input ends with the test.
func start(t *testing.T, name string) *server {
	t.Helper()
	binary := filepath.Join(t.TempDir(), name+".exe")
	out, err := exec.CommandContext(exampletest.Patient(t), "go", "build", "-o", binary, "./"+name).CombinedOutput()
	require.NoError(t, err, string(out))
	cmd := exec.CommandContext(exampletest.Patient(t), binary)
	s := &server{t: t}
	s.in, err = cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	s.answers = json.NewDecoder(stdout)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, s.in.Close())
		assert.NoError(t, cmd.Wait())
	})
	s.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *server) send(message string) {
	s.t.Helper()
	_, err := io.WriteString(s.in, message+"\n")
	require.NoError(s.t, err)
}

// ask sends a request and returns its result.
func (s *server) ask(method, params string) json.RawMessage {
	s.t.Helper()
	s.id++ // both the protocol and the server refuse an id that is in use
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.id, method, params))
	var a struct{ Result, Error json.RawMessage }
	require.NoError(s.t, s.answers.Decode(&a))
	require.Empty(s.t, a.Error)
	return a.Result
}

func (s *server) call(tool, arguments string) result {
	s.t.Helper()
	var r result
	require.NoError(s.t, json.Unmarshal(s.ask("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`), &r))
	return r
}

// schemas returns the schemas of the listed tools, by name.
func (s *server) schemas() map[string]string {
	s.t.Helper()
	var l struct {
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema json.RawMessage
		}
	}
	require.NoError(s.t, json.Unmarshal(s.ask("tools/list", `{}`), &l))
	all := map[string]string{}
	for _, tool := range l.Tools {
		all[tool.Name] = string(tool.InputSchema) + string(tool.OutputSchema)
	}
	return all
}

func outcomeOf(t *testing.T, r result) contract.Outcome {
	t.Helper()
	var o contract.Outcome
	require.NoError(t, json.Unmarshal(r.Meta[contract.MetaKeyOutcome], &o))
	return o
}

func TestWrapped_AnswersAsBeforeWhereTheContractAllows(t *testing.T) {
	t.Parallel()
	before, after := start(t, "plain"), start(t, "wrapped")
	was, is := before.schemas(), after.schemas()
	assert.Len(t, was, 6)
	assert.Equal(t, was, is, "the schemas stay")
	for _, call := range [][2]string{
		{"list_orders", `{}`}, {"get_order", `{"id":"o_1"}`}, {"track_parcel", `{"id":"o_2"}`}, {"print_label", `{"id":"o_1"}`},
		{"add_note", `{"id":"o_2","note":"Call back."}`}, {"get_order", `{"id":"o_2"}`},
	} {
		want, got := before.call(call[0], call[1]), after.call(call[0], call[1])
		assert.Equal(t, contract.StatusOK, outcomeOf(t, got).Status, call)
		assert.Equal(t, want.Content, got.Content, call)
		assert.Equal(t, string(want.StructuredContent), string(got.StructuredContent), call)
	}
}

func TestWrapped_EnforcesTheContracts(t *testing.T) {
	t.Parallel()
	s := start(t, "wrapped")
	for _, tt := range []struct {
		tool, arguments, code string
		class                 contract.Class
	}{
		{"print_label", `{"id":"o_1","width":4}`, contract.CodeInvalidInput, contract.ClassRetryable},
		{"print_label", `{"id":"o_1","Width":32}`, contract.CodeInvalidInput, contract.ClassRetryable},
		{"get_order", `{"id":2}`, contract.CodeInvalidInput, contract.ClassRetryable},
		{"get_order", `{"id":"o_9"}`, "tool_fatal", contract.ClassFatal},
		{"cancel_order", `{"id":"o_2"}`, contract.CodeConfirmationRequired, contract.ClassFatal},
	} {
		r := s.call(tt.tool, tt.arguments)
		assert.True(t, r.IsError, tt)
		assert.Equal(t, tt.code, outcomeOf(t, r).Code, tt)
		assert.Equal(t, tt.class, outcomeOf(t, r).Class, tt)
	}
	assert.False(t, s.call("get_order", `{"id":"o_2"}`).IsError, "it was not cancelled")
}

// The test applies the diff in README.md to the code before it.
func TestREADME_HasTheWholeDifference(t *testing.T) {
	t.Parallel()
	code := func(path string) string { // without imports
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		_, code, found := strings.Cut(string(data), "\nfunc main()")
		require.True(t, found)
		return code
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)```diff\n(.*?)```\n").FindStringSubmatch(string(readme))
	require.NotNil(t, found)
	assert.Equal(t, code("wrapped/main.go"), exampletest.ApplyDiff(t, found[1], code("plain/main.go")))
}
