package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

var update = flag.Bool("update", false, "write testdata again")

// tokens are random.
var tokens = regexp.MustCompile(`"dryRunToken":"[^"]*"`)

// start runs the program and returns its exit code and output.
func start(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestAgentloop_IsTheRecordedStory(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"story": nil, "full": {"-full"}} {
		code, stdout, _ := start(t, args...)
		assert.Equal(t, map[string]int{"story": exitAnswered, "full": exitFatal}[name], code)
		stdout = tokens.ReplaceAllString(stdout, `"dryRunToken":"…"`)
		golden := filepath.Join("testdata", name+".txt")
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(stdout), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Empty(t, exampletest.Difference(string(want), stdout),
			"run go test ./examples/agentloop -update and look at what changed")
	}
}

func TestAgentloop_PrintsOneArrayOfSteps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		code int
		want []string
	}{
		{nil, exitAnswered, []string{
			"1 files_write error already_exists retryable",
			"2 files_write ok  ",
			"3 invoices_search ok  ",
			"4 invoices_void dry-run  ",
			"5 invoices_void error confirmation_pending retryable",
			"6 invoices_void ok  ",
		}},
		{[]string{"-full"}, exitFatal, []string{
			"1 files_write error already_exists retryable",
			"2 files_write error storage_unavailable fatal",
		}},
	}
	for _, tt := range tests {
		code, stdout, _ := start(t, append(tt.args, "-json")...)
		assert.Equal(t, tt.code, code)
		decoder := json.NewDecoder(strings.NewReader(stdout))
		decoder.DisallowUnknownFields()
		var steps []step
		require.NoError(t, decoder.Decode(&steps))
		assert.False(t, decoder.More())
		var got []string
		for _, s := range steps {
			got = append(got, fmt.Sprintf("%d %s %s %s %s", s.Step, s.Tool, s.Status, s.Code, s.Class))
			assert.True(t, bytes.HasPrefix(s.Arguments, []byte("{")))
		}
		assert.Equal(t, tt.want, got)
	}
}

// The servers ran each write once, whatever the agent printed.
func TestAgentloop_HasEachEffectOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	o, err := open(root, false, true)
	require.NoError(t, err)
	require.NoError(t, playStory(t.Context(), o, newTranscript(new(bytes.Buffer), false)))
	require.NoError(t, o.close())
	ran := map[string]int{}
	for _, e := range o.log.Events() {
		if e.Kind == audit.Terminal && e.Status == "ok" && e.Decision == audit.Allow && e.Tool != "invoices.search" {
			ran[e.Tool]++
		}
	}
	assert.Equal(t, map[string]int{"files.write": 1, "invoices.void": 1}, ran)
	content, err := os.ReadFile(filepath.Join(root, "notes", "summary.txt"))
	require.NoError(t, err)
	assert.Equal(t, "Draft conclusions.", string(content))
}

func TestAgentloop_RefusesWrongFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-nosuch"}, {"extra"}, {"-root", "x"}, {"-model", "http://127.0.0.1:1"},
		{"-model", "http://127.0.0.1:1", "-name", "x", "-root", filepath.Join(t.TempDir(), "missing")},
	} {
		code, stdout, stderr := start(t, args...)
		assert.Equal(t, exitNotStarted, code)
		assert.Empty(t, stdout)
		assert.NotEmpty(t, stderr)
	}
	code, _, stderr := start(t, "-h")
	assert.Equal(t, exitAnswered, code)
	assert.Contains(t, stderr, keyEnv)
}

// An endpoint plays answers, and keeps the requests.
type endpoint struct {
	answers []string

	mu       sync.Mutex
	requests []map[string]any
	keys     []string
	paths    []string
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var request map[string]any
	_ = json.NewDecoder(r.Body).Decode(&request)
	n := len(e.requests)
	e.requests, e.keys, e.paths = append(e.requests, request), append(e.keys, r.Header.Get("Authorization")),
		append(e.paths, r.URL.Path)
	fmt.Fprint(w, e.answers[min(n, len(e.answers)-1)])
}

func calls(tool, arguments string) string {
	raw, _ := json.Marshal(map[string]any{ //nolint:errchkjson // these are texts and numbers
		"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{
			map[string]any{"id": "call_" + tool, "type": "function", "function": map[string]any{"name": tool, "arguments": arguments}},
		}}}},
		"usage": map[string]any{"total_tokens": 100},
	})
	return string(raw)
}

func says(text string) string {
	message := map[string]any{"message": map[string]any{"content": text}}
	raw, _ := json.Marshal(map[string]any{"choices": []any{message}}) //nolint:errchkjson // it is a text
	return string(raw)
}

func TestAgentloop_AnEndpointDrivesTheLoop(t *testing.T) {
	const key = "sk-very-secret"
	t.Setenv(keyEnv, key)
	e := &endpoint{answers: []string{
		calls("invoices_search", `{"by":{"customer":"c_max"},"unpaid":true}`),
		calls("files_write", `{"path":`),
		calls("data_export_all", `{}`),
		calls("files_write", `{"path":"notes/unpaid.txt","content":"AC-1002"}`),
		says("Done: \x1b[2JAC-1002."),
	}}
	server := httptest.NewServer(e)
	defer server.Close()
	root := t.TempDir()
	code, stdout, stderr := start(t, "-model", server.URL+"/v1", "-name", "small", "-root", root, "-prompt", "What is unpaid?")
	assert.Equal(t, exitAnswered, code, stderr)
	assert.Contains(t, stdout, "AC-1002.")
	assert.NotContains(t, stdout, "\x1b", "a model does not steer the terminal")
	assert.NotContains(t, stdout+stderr, key)
	content, err := os.ReadFile(filepath.Join(root, "notes", "unpaid.txt"))
	require.NoError(t, err)
	assert.Equal(t, "AC-1002", string(content))

	require.Len(t, e.requests, 5)
	assert.Equal(t, []string{"/v1/chat/completions", "Bearer " + key}, []string{e.paths[0], e.keys[4]})
	last := e.requests[4]
	assert.Equal(t, "small", last["model"])
	var roles []string
	for _, m := range last["messages"].([]any) {
		message := m.(map[string]any)
		role := message["role"].(string)
		if role == "tool" {
			role += " " + message["tool_call_id"].(string)
		}
		roles = append(roles, role)
	}
	assert.Equal(t, []string{
		"system", "user", "assistant", "tool call_invoices_search", "assistant", "tool call_files_write",
		"assistant", "tool call_data_export_all", "assistant", "tool call_files_write",
	}, roles)
	names := map[string]bool{}
	for _, tool := range last["tools"].([]any) {
		f := tool.(map[string]any)["function"].(map[string]any)
		names[f["name"].(string)] = true
		assert.Equal(t, "object", f["parameters"].(map[string]any)["type"])
	}
	assert.True(t, names["invoices_void"])
	assert.False(t, names["refunds_issue"], "the policy leaves out other domains")
	assert.False(t, names["invoices_send"], "and risks above high")
}

// An endpoint that does not work ends the run with a reason that holds neither
// the key nor a text of the endpoint.
func TestAgentloop_EndpointsThatDoNotWork(t *testing.T) {
	const key = "sk-very-secret"
	t.Setenv(keyEnv, key)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a redirect was followed with the key")
	}))
	defer other.Close()
	stuck := make(chan struct{})
	defer close(stuck)
	tests := map[string]http.HandlerFunc{
		"an error that repeats the key": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "wrong key "+key, http.StatusUnauthorized)
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		},
		"no JSON":   func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>"+key) },
		"no choice": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"choices":[]}`) },
		"an answer without end": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte(" "), maxAnswer+1))
		},
		"a cut answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, says("hello")[:20])
		},
		"a closed connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no answer": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client is gone
			select {
			case <-stuck:
			case <-r.Context().Done():
			}
		},
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler)
			defer server.Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var out, errs bytes.Buffer
			args := []string{"-model", server.URL + "?api_key=" + key, "-name", "small", "-time", "300ms"}
			if name != "no answer" {
				args = args[:4]
			}
			assert.Equal(t, exitFailed, run(ctx, args, strings.NewReader(""), &out, &errs))
			assert.NotEmpty(t, errs.String())
			assert.NotContains(t, out.String()+errs.String(), key)
		})
	}
}

// A model that never stops calling is stopped.
func TestAgentloop_AnEndpointThatCallsForEver(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&endpoint{answers: []string{calls("files_list", `{}`)}})
	defer server.Close()
	code, _, stderr := start(t, "-model", server.URL, "-name", "small", "-turns", "3")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "turns")
}

// The person at the terminal decides. The end of the input declines.
func TestAsker_ApprovesOnlyWhatThePersonTyped(t *testing.T) {
	t.Parallel()
	typed := json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`)
	data := json.RawMessage(`{"type":"object","properties":{"address":{"type":"string"}}}`)
	tests := []struct {
		input string
		form  json.RawMessage
		want  agent.Answer
	}{
		{"yes\n", nil, agent.Answer{Action: agent.Accept}},
		{" yes ", nil, agent.Answer{Action: agent.Accept}},
		{"no\n", nil, agent.Answer{Action: agent.Decline}},
		{"YES\n", nil, agent.Answer{Action: agent.Decline}},
		{"", nil, agent.Answer{}},
		{"AC-1\n", typed, agent.Answer{Action: agent.Accept, Content: map[string]any{"word": "AC-1"}}},
		{"\n", typed, agent.Answer{Action: agent.Decline}},
		{"yes\n", data, agent.Answer{Action: agent.Decline}},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		got, err := asker(strings.NewReader(tt.input), &out)(t.Context(), agent.Question{
			Tool: agent.Tool{Name: "invoices_void"}, Arguments: json.RawMessage(`{"invoice":"AC-1"}`), Form: tt.form,
		})
		require.NoError(t, err)
		assert.Equal(t, tt.want, got, "%q", tt.input)
		assert.Contains(t, out.String(), `{"invoice":"AC-1"}`)
	}
}
