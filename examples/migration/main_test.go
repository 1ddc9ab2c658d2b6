package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

func TestMain(m *testing.M) {
	exampletest.Main(m, func() int {
		main()
		return 0
	})
}

// A result is the result of a tool call.
type result struct {
	Content []struct {
		Type, Text, MIMEType string
		Data                 []byte
	}
	IsError           bool
	StructuredContent json.RawMessage
	Meta              map[string]json.RawMessage `json:"_meta"`
}

func (r result) outcome(t *testing.T) contract.Outcome {
	t.Helper()
	var o contract.Outcome
	require.NoError(t, json.Unmarshal(r.Meta[contract.MetaKeyOutcome], &o))
	return o
}

// ask sends the requests to a server over stdio, one after the other, and
// returns the results as raw JSON.
func ask(t *testing.T, cmd *exec.Cmd, requests ...string) []json.RawMessage {
	t.Helper()
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	answers := json.NewDecoder(out)
	send := func(message string) {
		_, err := io.WriteString(in, message+"\n")
		require.NoError(t, err)
	}
	answer := func() json.RawMessage {
		var a struct{ Result, Error json.RawMessage }
		require.NoError(t, answers.Decode(&a))
		require.Empty(t, a.Error)
		return a.Result
	}
	send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}`)
	answer()
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var results []json.RawMessage
	for i, request := range requests {
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+1, request))
		results = append(results, answer())
	}
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	return results
}

func call(tool, arguments string) string {
	return `"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}`
}

const list = `"method":"tools/list"`

// folders have the commands plain and wrapped for each SDK, that of the first
// steps, and a README.md.
var folders = map[string]string{"mcp-go": ".", "official": "../gosdk/migration"}

// firstSteps is the server in a folder itself.
const firstSteps = "."

// built builds a server for an SDK and returns a command that runs it. The
// program stays, because go build links it again only if it has changed.
func built(t *testing.T, sdk, server string) *exec.Cmd {
	t.Helper()
	binary, err := filepath.Abs(filepath.Join("..", "..", "bin", "migration", sdk, server+".exe"))
	require.NoError(t, err)
	build := exec.CommandContext(exampletest.Patient(t), "go", "build", "-o", binary, "./"+server)
	build.Dir = folders[sdk]
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return exec.CommandContext(exampletest.Patient(t), binary)
}

// listed returns the raw tool definitions in a list by name.
func listed(t *testing.T, data json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	var l struct{ Tools []json.RawMessage }
	require.NoError(t, json.Unmarshal(data, &l))
	tools := map[string]json.RawMessage{}
	for _, tool := range l.Tools {
		var named struct{ Name string }
		require.NoError(t, json.Unmarshal(tool, &named))
		tools[named.Name] = tool
	}
	return tools
}

func TestMigration_LeavesOtherToolsUnchanged(t *testing.T) {
	t.Parallel()
	requests := []string{
		list,
		call("list_orders", `{}`),
		call("get_order", `{"id":"o_1"}`), call("get_order", `{"id":"o_9"}`), call("get_order", `{}`),
		call("get_order", `{"id":7,"x":1}`),
		call("track_parcel", `{"id":"o_1"}`), call("track_parcel", `{"id":"o_2"}`), call("track_parcel", `{"id":"o_9"}`),
		// cancel_order is annotated: its definition changes, its behaviour does
		// not.
		call("cancel_order", `{"id":"o_1"}`), call("cancel_order", `{"id":"o_2"}`), call("cancel_order", `{"id":"o_2"}`),
		call("list_orders", `{}`),
	}
	for sdk := range folders {
		t.Run(sdk, func(t *testing.T) {
			t.Parallel()
			before, after := ask(t, built(t, sdk, "plain"), requests...), ask(t, built(t, sdk, firstSteps), requests...)
			for i, request := range requests[1:] {
				assert.Equal(t, string(before[i+1]), string(after[i+1]), request)
			}
			was, is := listed(t, before[0]), listed(t, after[0])
			assert.Len(t, was, 6)
			assert.Len(t, is, 6)
			touched := []string{"add_note", "cancel_order", "print_label"}
			for name := range was {
				assert.Equal(t, !slices.Contains(touched, name), string(was[name]) == string(is[name]), name)
				assert.Equal(t, slices.Contains(touched, name), strings.Contains(string(is[name]), contract.MetaKeyContract), name)
			}
		})
	}
}

func TestMigration_EnforcesTheContractsOfWrappedAndTypedTools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		request string
		code    string
		class   contract.Class
	}{
		{call("print_label", `{"id":"o_1"}`), "", 0},
		{call("print_label", `{"id":"o_1","width":4}`), "invalid_input", contract.ClassRetryable},
		{call("print_label", `{"id":"o_1","Width":32}`), "invalid_input", contract.ClassRetryable},
		{call("print_label", `{}`), "invalid_input", contract.ClassRetryable},
		{call("print_label", `{"id":"o_9"}`), "tool_retry", contract.ClassRetryable},
		{call("add_note", `{"id":"o_2","note":"Call back."}`), "", 0},
		{call("add_note", `{"id":"o_2"}`), "invalid_input", contract.ClassRetryable},
		{call("add_note", `{"id":"o_2","note":""}`), "invalid_input", contract.ClassRetryable},
		{call("add_note", `{"id":"o_9","note":"Call back."}`), "no_such_order", contract.ClassRetryable},
	}
	requests := []string{}
	for _, tt := range tests {
		requests = append(requests, tt.request)
	}
	for sdk := range folders {
		t.Run(sdk, func(t *testing.T) {
			t.Parallel()
			for i, data := range ask(t, built(t, sdk, firstSteps), requests...) {
				var r result
				require.NoError(t, json.Unmarshal(data, &r))
				outcome := r.outcome(t)
				assert.Equal(t, tests[i].code, outcome.Code, requests[i])
				assert.Equal(t, tests[i].class, outcome.Class, requests[i])
				assert.Equal(t, tests[i].code != "", r.IsError, requests[i])
				switch i {
				case 0:
					require.Len(t, r.Content, 2)
					assert.Equal(t, "label of o_1", r.Content[0].Text)
					label, err := png.Decode(bytes.NewReader(r.Content[1].Data))
					require.NoError(t, err)
					assert.Equal(t, 64, label.Bounds().Dx(), "the default of the schema")
				case 5:
					assert.JSONEq(t, `{"notes":1}`, string(r.StructuredContent))
				}
			}
		})
	}
}

// listedSchemas returns the schemas of the tools in a list by name.
func listedSchemas(t *testing.T, data json.RawMessage) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, tool := range listed(t, data) {
		var schemas struct{ InputSchema, OutputSchema json.RawMessage }
		require.NoError(t, json.Unmarshal(tool, &schemas))
		all[name] = string(schemas.InputSchema) + string(schemas.OutputSchema)
	}
	return all
}

func TestWrapped_AnswersAsBeforeWhereTheContractAllows(t *testing.T) {
	t.Parallel()
	requests := []string{
		list, call("list_orders", `{}`), call("get_order", `{"id":"o_1"}`), call("track_parcel", `{"id":"o_2"}`),
		call("print_label", `{"id":"o_1"}`), call("add_note", `{"id":"o_2","note":"Call back."}`), call("get_order", `{"id":"o_2"}`),
	}
	for sdk := range folders {
		t.Run(sdk, func(t *testing.T) {
			t.Parallel()
			before, after := ask(t, built(t, sdk, "plain"), requests...), ask(t, built(t, sdk, "wrapped"), requests...)
			assert.Len(t, listedSchemas(t, before[0]), 6)
			assert.Equal(t, listedSchemas(t, before[0]), listedSchemas(t, after[0]), "the schemas stay")
			for i, request := range requests[1:] {
				var was, is result
				require.NoError(t, json.Unmarshal(before[i+1], &was))
				require.NoError(t, json.Unmarshal(after[i+1], &is))
				assert.Equal(t, contract.StatusOK, is.outcome(t).Status, request)
				assert.Equal(t, was.Content, is.Content, request)
				assert.Equal(t, string(was.StructuredContent), string(is.StructuredContent), request)
			}
		})
	}
}

func TestWrapped_EnforcesTheContracts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		request, code string
		class         contract.Class
	}{
		{call("print_label", `{"id":"o_1","width":4}`), contract.CodeInvalidInput, contract.ClassRetryable},
		{call("print_label", `{"id":"o_1","Width":32}`), contract.CodeInvalidInput, contract.ClassRetryable},
		{call("get_order", `{"id":2}`), contract.CodeInvalidInput, contract.ClassRetryable},
		{call("get_order", `{"id":"o_9"}`), "tool_fatal", contract.ClassFatal},
		{call("cancel_order", `{"id":"o_2"}`), contract.CodeConfirmationRequired, contract.ClassFatal},
		{call("get_order", `{"id":"o_2"}`), "", 0}, // it was not cancelled
	}
	var requests []string
	for _, tt := range tests {
		requests = append(requests, tt.request)
	}
	for sdk := range folders {
		t.Run(sdk, func(t *testing.T) {
			t.Parallel()
			for i, data := range ask(t, built(t, sdk, "wrapped"), requests...) {
				var r result
				require.NoError(t, json.Unmarshal(data, &r))
				assert.Equal(t, tests[i].code != "", r.IsError, requests[i])
				assert.Equal(t, tests[i].code, r.outcome(t).Code, requests[i])
				assert.Equal(t, tests[i].class, r.outcome(t).Class, requests[i])
			}
		})
	}
}

var difference = regexp.MustCompile("(?s)<!-- (\\S+) to (\\S+) -->\n```diff\n(.*?)```\n")

// The test applies each diff in the READMEs to the code before it.
func TestREADME_HasTheWholeDifferences(t *testing.T) {
	t.Parallel()
	for sdk, want := range map[string]int{"mcp-go": 2, "official": 2} {
		read := func(path string) string {
			data, err := os.ReadFile(filepath.Join(folders[sdk], path))
			require.NoError(t, err)
			return string(data)
		}
		code := func(path string) string { // without imports
			_, code, found := strings.Cut(read(path), "\nfunc main()")
			require.True(t, found)
			return code
		}
		diffs := difference.FindAllStringSubmatch(read("README.md"), -1)
		require.Len(t, diffs, want)
		for _, d := range diffs {
			assert.Equal(t, code(d[2]), exampletest.ApplyDiff(t, d[3], code(d[1])))
		}
	}
}
