package drive

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// A Client is a client of one server. A person answers its questions.
type Client struct {
	t      *testing.T
	client *client.Client
	person *person
}

// Connect serves s over HTTP and connects to it as alice. The person behind the
// client accepts every question.
func Connect(t *testing.T, s *server.MCPServer) *Client {
	t.Helper()
	web := httptest.NewServer(adapter.LimitHandler(server.NewStreamableHTTPServer(s), 0))
	t.Cleanup(web.Close)
	over, err := transport.NewStreamableHTTP(web.URL, transport.WithHTTPBasicClient(web.Client()),
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	require.NoError(t, err)
	p := &person{}
	c := client.NewClient(over, client.WithElicitationHandler(p))
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	require.NoError(t, c.Start(t.Context()))
	_, err = c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "drive", Version: "1.0.0"},
	}})
	require.NoError(t, err)
	return &Client{t: t, client: c, person: p}
}

// A person answers the questions of a client.
type person struct {
	asked    atomic.Int64
	declines atomic.Bool
}

func (p *person) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.asked.Add(1)
	answer := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"confirm": true}}
	if p.declines.Load() {
		answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
	}
	return &mcp.ElicitationResult{ElicitationResponse: answer}, nil
}

// Decline makes the person decline from now on.
func (c *Client) Decline() { c.person.declines.Store(true) }

// Asked returns how often the person was asked.
func (c *Client) Asked() int { return int(c.person.asked.Load()) }

// Tools returns the listed tools by name.
func (c *Client) Tools() map[string]mcp.Tool {
	c.t.Helper()
	list, err := c.client.ListTools(c.t.Context(), mcp.ListToolsRequest{})
	require.NoError(c.t, err)
	tools := map[string]mcp.Tool{}
	for _, tool := range list.Tools {
		tools[tool.Name] = tool
	}
	return tools
}

// Call calls a tool. It returns the first text of the result, and the outcome.
func (c *Client) Call(tool string, arguments map[string]any) (text string, outcome contract.Outcome) {
	c.t.Helper()
	return c.call(mcp.CallToolParams{Name: tool, Arguments: arguments})
}

// CallKeyed is Call with an idempotency key.
func (c *Client) CallKeyed(key, tool string, arguments map[string]any) (text string, outcome contract.Outcome) {
	c.t.Helper()
	meta := &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyIdempotencyKey: key}}
	return c.call(mcp.CallToolParams{Name: tool, Arguments: arguments, Meta: meta})
}

func (c *Client) call(params mcp.CallToolParams) (text string, outcome contract.Outcome) {
	c.t.Helper()
	result, err := c.client.CallTool(c.t.Context(), mcp.CallToolRequest{Params: params})
	require.NoError(c.t, err)
	require.NotNil(c.t, result.Meta)
	data, err := json.Marshal(result.Meta.AdditionalFields[contract.MetaKeyOutcome])
	require.NoError(c.t, err)
	require.NoError(c.t, json.Unmarshal(data, &outcome))
	require.NotEmpty(c.t, result.Content)
	first, ok := result.Content[0].(mcp.TextContent)
	require.True(c.t, ok)
	return first.Text, outcome
}
