// Package drive calls the tools of an adopted server the way a client does:
// over HTTP, with the official client, as one authenticated caller.
package drive

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// token is the only valid bearer token.
const token = "alice"

// Guard returns a guard that knows one caller, alice, who holds the
// permissions, and the audit log that the guard writes.
func Guard(t *testing.T, permissions ...string) (*guard.Guard, *Log) {
	t.Helper()
	l := &Log{t: t}
	g, err := guard.New(guard.WithAudit(&l.log), guard.WithPrincipal(adapter.Bearer(
		func(_ context.Context, got string) (guard.Principal, error) {
			if got != token {
				return guard.Principal{}, errors.New("unknown token")
			}
			return guard.Principal{Issuer: "test", Subject: "alice", Permissions: permissions}, nil
		})))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	l.guard = g
	return g, l
}

// A Log is the audit log of a guard.
type Log struct {
	t     *testing.T
	guard *guard.Guard
	log   audit.Recorder
}

// Events closes the guard, which flushes its queued events, and returns the
// events of the given kinds.
func (l *Log) Events(kinds ...audit.Kind) []audit.Event {
	l.t.Helper()
	require.NoError(l.t, l.guard.Close(l.t.Context()))
	return l.log.Events(kinds...)
}

// A Client is a client of one server over HTTP, with a person who answers its
// questions.
type Client struct {
	t       *testing.T
	session *mcp.ClientSession
	answer  atomic.Pointer[mcp.ElicitResult]
	count   atomic.Int64
}

type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultTransport.RoundTrip(r)
}

// Connect serves s over HTTP and connects to it as alice. The person accepts
// every question.
func Connect(t *testing.T, s *mcp.Server) *Client {
	t.Helper()
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(web.Close)
	d := &Client{t: t}
	d.Answers("accept", map[string]any{"confirm": true})
	c := mcp.NewClient(&mcp.Implementation{Name: "drive", Version: "1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			d.count.Add(1)
			return d.answer.Load(), nil
		},
	})
	var err error
	d.session, err = c.Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: &http.Client{Transport: bearer{}}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.session.Close()) })
	return d
}

// Answers sets the person's answer to all later questions.
func (d *Client) Answers(action string, content map[string]any) {
	d.answer.Store(&mcp.ElicitResult{Action: action, Content: content})
}

// Asked returns how often the person was asked.
func (d *Client) Asked() int { return int(d.count.Load()) }

// Tools returns the listed tools by name.
func (d *Client) Tools() map[string]*mcp.Tool {
	d.t.Helper()
	tools := map[string]*mcp.Tool{}
	for tool, err := range d.session.Tools(d.t.Context(), nil) {
		require.NoError(d.t, err)
		tools[tool.Name] = tool
	}
	return tools
}

// Call calls a tool. It returns the first text of the result, and the outcome.
func (d *Client) Call(tool string, arguments map[string]any) (text string, outcome contract.Outcome) {
	d.t.Helper()
	return d.run(&mcp.CallToolParams{Name: tool, Arguments: arguments})
}

// CallKeyed is Call with an idempotency key.
func (d *Client) CallKeyed(key, tool string, arguments map[string]any) (text string, outcome contract.Outcome) {
	d.t.Helper()
	return d.run(&mcp.CallToolParams{Meta: mcp.Meta{contract.MetaKeyIdempotencyKey: key}, Name: tool, Arguments: arguments})
}

func (d *Client) run(params *mcp.CallToolParams) (text string, outcome contract.Outcome) {
	d.t.Helper()
	result, err := d.session.CallTool(d.t.Context(), params)
	require.NoError(d.t, err)
	data, err := json.Marshal(result.Meta[contract.MetaKeyOutcome])
	require.NoError(d.t, err)
	require.NoError(d.t, json.Unmarshal(data, &outcome))
	require.NotEmpty(d.t, result.Content)
	first, ok := result.Content[0].(*mcp.TextContent)
	require.True(d.t, ok)
	return first.Text, outcome
}
