package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// serveEnv makes the test binary the server that it tests.
const serveEnv = "EMAILS_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		os.Exit(run())
	}
	os.Exit(m.Run())
}

// The protocol eras: before 2026-07-28 a client opens a session first.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// patience bounds one test's waiting.
const patience = 30 * time.Second

// patient returns a context that ends after the test's cleanups, or when the
// test has waited long enough.
func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	return ctx
}

func connect(t *testing.T, over transport.Interface, era string) *client.Client {
	t.Helper()
	ctx := patient(t)
	c := client.NewClient(over, client.WithProtocolVersion(era))
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	require.NoError(t, c.Start(ctx))
	_, err := c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: era, ClientInfo: mcp.Implementation{Name: "test", Version: "1.0.0"},
	}})
	require.NoError(t, err)
	require.Equal(t, era, c.ProtocolVersion())
	return c
}

// overStdio starts the server as a process of its own.
func overStdio(t *testing.T, era string, args ...string) *client.Client {
	t.Helper()
	return connect(t, transport.NewStdio(os.Args[0], append(os.Environ(), serveEnv+"=1"), args...), era)
}

// overHTTP starts the server as a process of its own and returns its address.
// SIGTERM ends it, after which it has to exit with 0.
func overHTTP(t *testing.T, args ...string) (url string) {
	t.Helper()
	cmd := exec.CommandContext(patient(t), os.Args[0], append([]string{"-http", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), serveEnv+"=1")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	var stdout strings.Builder
	cmd.Stdout = &stdout
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	url, found := strings.CutPrefix(strings.TrimSpace(first), "listening on ")
	require.True(t, found, first)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, lines)
	}()
	t.Cleanup(func() {
		assert.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		<-drained
		assert.NoError(t, cmd.Wait(), "exits 0 on SIGTERM")
		assert.Empty(t, stdout.String())
	})
	return url
}

func as(t *testing.T, url, token, era string) *client.Client {
	t.Helper()
	var options []transport.StreamableHTTPCOption
	if token != "" {
		options = append(options, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	}
	over, err := transport.NewStreamableHTTP(url, options...)
	require.NoError(t, err)
	return connect(t, over, era)
}

func names(t *testing.T, c *client.Client) []string {
	t.Helper()
	result, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	require.NoError(t, err)
	list := []string{}
	for _, tool := range result.Tools {
		list = append(list, tool.Name)
	}
	return list
}

// call returns the result and the outcome in its _meta.
func call(t *testing.T, c *client.Client, tool, arguments string) (*mcp.CallToolResult, contract.Outcome) {
	t.Helper()
	result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)}})
	require.NoError(t, err)
	require.NotNil(t, result.Meta)
	data, err := json.Marshal(result.Meta.AdditionalFields[contract.MetaKeyOutcome])
	require.NoError(t, err)
	var outcome contract.Outcome
	require.NoError(t, json.Unmarshal(data, &outcome))
	return result, outcome
}

func text(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	require.Len(t, result.Content, 1)
	content, ok := result.Content[0].(mcp.TextContent)
	require.True(t, ok)
	return content.Text
}

var everything = []string{"contacts.search", "emails.create_draft", "emails.send_external"}

func TestWhoSeesWhatOverHTTP(t *testing.T) {
	t.Parallel()
	url := overHTTP(t)
	tests := []struct {
		name, token string
		want        []string
	}{
		{"alice sees all but the forbidden", "alice", everything},
		{"alice with a second factor too", "alice-mfa", everything},
		{"bob sees what contacts:read permits", "bob", []string{"contacts.search"}},
		{"the auditor sees no tool", "auditor", []string{}},
		{"an unknown token sees nothing", "mallory", []string{}},
		{"nobody sees nothing", "", []string{}},
	}
	for _, era := range []string{legacy, modern} {
		for _, tt := range tests {
			t.Run(era+"/"+tt.name, func(t *testing.T) {
				assert.Equal(t, tt.want, names(t, as(t, url, tt.token, era)))
			})
		}
	}
}

func TestWhoSeesWhatOverStdio(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"the local user holds what the tools need", nil, everything},
		{"or what the flag gives", []string{"-permissions", "contacts:read,emails:draft"}, []string{"contacts.search", "emails.create_draft"}},
		{"some permissions of a tool are not enough", []string{"-permissions", "emails:send,contacts:read"}, []string{"contacts.search"}},
		{"or nothing", []string{"-permissions", ""}, []string{}},
	}
	for _, era := range []string{legacy, modern} {
		for _, tt := range tests {
			t.Run(era+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				assert.Equal(t, tt.want, names(t, overStdio(t, era, tt.args...)))
			})
		}
	}
}

const lunch = `{"to":["anna@example.com"],"subject":"Lunch","body":"Noon?","attachments":["f_menu"],"projectId":"p_1"}`

// The calls that every transport answers alike for a caller who may use
// everything.
var calls = []struct {
	name, tool, arguments string
	code                  string // empty: ok
	class                 contract.Class
	pointers              []string
}{
	{"a search", "contacts.search", `{"query":"anna"}`, "", 0, nil},
	{"a search without a query", "contacts.search", `{}`, "invalid_input", contract.ClassRetryable, []string{"/query"}},
	{"a draft", "emails.create_draft", lunch, "", 0, nil},
	{"a draft to nobody, with a misspelt member", "emails.create_draft", `{"to":[],"subject":"x","bdy":"y"}`, "invalid_input", contract.ClassRetryable, []string{"/bdy", "/body", "/to"}},
	{"a subject of two lines", "emails.create_draft", `{"to":["anna@example.com"],"subject":"x\r\nBcc: eve@example.net","body":"y"}`, "invalid_input", contract.ClassRetryable, []string{"/subject"}},
	{"a recipient that the relay refuses", "emails.create_draft", `{"to":["x@invalid.example"],"subject":"x","body":"y"}`, "invalid_recipient", contract.ClassRetryable, []string{"/to/0"}},
	{"a huge attachment", "emails.create_draft", `{"to":["anna@example.com"],"subject":"x","body":"y","attachments":["f_huge"]}`, "attachment_too_large", contract.ClassRetryable, []string{"/attachments/0"}},
	{"a subject against the policy", "emails.create_draft", `{"to":["anna@example.com"],"subject":"[policy]","body":"y"}`, "policy_violation", contract.ClassFatal, nil},
	{"the relay is down", "emails.create_draft", `{"to":["anna@example.com"],"subject":"[relay-down]","body":"y"}`, "relay_down", contract.ClassFatal, nil},
	{"a sending", "emails.send_external", lunch, "confirmation_required", contract.ClassFatal, nil},
	{"a sending with mistakes is not asked about", "emails.send_external", `{"to":["anna@example.com"]}`, "invalid_input", contract.ClassRetryable, []string{"/body", "/subject"}},
}

func TestCalls(t *testing.T) {
	t.Parallel()
	url := overHTTP(t)
	for _, era := range []string{legacy, modern} {
		for name, c := range map[string]*client.Client{"stdio": overStdio(t, era), "http": as(t, url, "alice", era)} {
			for _, tt := range calls {
				t.Run(era+"/"+name+"/"+tt.name, func(t *testing.T) {
					result, outcome := call(t, c, tt.tool, tt.arguments)
					assert.Equal(t, tt.code, outcome.Code)
					assert.Equal(t, tt.class, outcome.Class)
					assert.Equal(t, tt.code != "", result.IsError)
					assert.NotEmpty(t, outcome.CallID)
					assert.Equal(t, "1.0.0", outcome.ContractVersion)
					assert.Equal(t, tt.class == contract.ClassFatal, strings.HasPrefix(text(t, result), "[FATAL] "))
					if tt.code == "" {
						assert.NotNil(t, result.StructuredContent)
						assert.Equal(t, contract.StatusOK, outcome.Status)
						return
					}
					assert.Nil(t, result.StructuredContent)
					assert.Equal(t, contract.StatusError, outcome.Status)
					assert.Contains(t, text(t, result), tt.code+": ")
					var pointers []string
					for _, v := range outcome.Violations {
						pointers = append(pointers, v.Pointer)
					}
					assert.Equal(t, tt.pointers, pointers)
				})
			}
		}
	}
}

func TestRefusalsOverHTTP(t *testing.T) {
	t.Parallel()
	url := overHTTP(t)
	tests := []struct{ name, token, tool, arguments, code string }{
		{"nobody searches", "", "contacts.search", `{"query":"anna"}`, "unauthenticated"},
		{"nobody sends, and learns nothing of the arguments", "", "emails.send_external", `{}`, "unauthenticated"},
		{"an unknown token", "mallory", "contacts.search", `{"query":"anna"}`, "unauthenticated"},
		{"bob drafts", "bob", "emails.create_draft", lunch, "permission_denied"},
		{"bob sends, and learns nothing of the arguments", "bob", "emails.send_external", `{}`, "permission_denied"},
		{"the auditor searches", "auditor", "contacts.search", `{"query":"anna"}`, "permission_denied"},
	}
	for _, era := range []string{legacy, modern} {
		for _, tt := range tests {
			t.Run(era+"/"+tt.name, func(t *testing.T) {
				result, outcome := call(t, as(t, url, tt.token, era), tt.tool, tt.arguments)
				assert.True(t, result.IsError)
				assert.Equal(t, tt.code, outcome.Code)
				assert.Equal(t, contract.ClassFatal, outcome.Class)
				assert.Empty(t, outcome.Violations)
			})
		}
		t.Run(era+"/bob searches", func(t *testing.T) {
			_, outcome := call(t, as(t, url, "bob", era), "contacts.search", `{"query":"anna"}`)
			assert.Equal(t, contract.StatusOK, outcome.Status)
		})
	}
}

func TestTheForbiddenToolIsNotThere(t *testing.T) {
	t.Parallel()
	url := overHTTP(t)
	refusal := func(t *testing.T, c *client.Client, tool string) string {
		t.Helper()
		_, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool}})
		require.ErrorIs(t, err, mcp.ErrInvalidParams)
		return strings.ReplaceAll(err.Error(), tool, "NAME")
	}
	for _, era := range []string{legacy, modern} {
		for name, c := range map[string]*client.Client{
			"stdio": overStdio(t, era), "alice": as(t, url, "alice", era), "auditor": as(t, url, "auditor", era), "nobody": as(t, url, "", era),
		} {
			t.Run(era+"/"+name, func(t *testing.T) {
				assert.Equal(t, refusal(t, c, "secrets.read_nothing"), refusal(t, c, "secrets.read_private_key"))
			})
		}
	}
}

func TestTiers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tier  string
		wants []string // members of the contract in _meta
	}{
		{"full", []string{"format", "name", "risk", "failureModes", "sideEffects"}},
		{"summary", []string{"format", "risk", "effect", "contentTrust", "confirmation", "version"}},
		{"hints", nil},
	}
	for _, tt := range tests {
		t.Run(tt.tier, func(t *testing.T) {
			t.Parallel()
			result, err := overStdio(t, modern, "-tier", tt.tier).ListTools(t.Context(), mcp.ListToolsRequest{})
			require.NoError(t, err)
			require.Len(t, result.Tools, len(everything))
			for _, tool := range result.Tools {
				require.NotNil(t, tool.Annotations.DestructiveHint)
				if tt.wants == nil {
					assert.True(t, tool.Meta == nil || tool.Meta.AdditionalFields[contract.MetaKeyContract] == nil)
					continue
				}
				require.NotNil(t, tool.Meta)
				published, ok := tool.Meta.AdditionalFields[contract.MetaKeyContract].(map[string]any)
				require.True(t, ok)
				for _, member := range tt.wants {
					if member == "sideEffects" && tool.Name == "contacts.search" {
						continue // it reads
					}
					assert.Contains(t, published, member, tool.Name)
				}
				assert.Equal(t, tt.tier == "full", published["name"] != nil)
			}
		})
	}
}

func TestTheServerEndsWithItsInput(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(patient(t), os.Args[0])
	cmd.Env = append(os.Environ(), serveEnv+"=1")
	cmd.Stdin = strings.NewReader("")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Empty(t, string(out), "stdout is the protocol's alone")
}
