package gateway_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// book asks the client for the city, and then books. Its result repeats the
// state that came with the answer.
func book(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if answer := mcpserver.ElicitationResponse(r.Params.InputResponses, "city"); answer != nil {
		content, _ := answer.Content.(map[string]any)
		city, _ := content["city"].(string)
		return mcp.NewToolResultText("booked " + city + " " + r.Params.RequestState), nil
	}
	return mcpserver.NewInputRequestBuilder("state of the server").Elicit("city", mcp.ElicitationParams{Message: "Which city?",
		RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"},
		}}).ToolResult(), nil
}

// modernTravel returns a server over HTTP whose tool book asks with an
// input_required result.
func modernTravel(t *testing.T) client.Transport {
	t.Helper()
	s := mcpserver.NewMCPServer("travel", "1.0.0")
	s.AddTool(mcp.NewTool("book", mcp.WithDescription("Books a trip."), mcp.WithReadOnlyHintAnnotation(true),
		mcp.WithDestructiveHintAnnotation(false)), book)
	behind := httptest.NewServer(mcpserver.NewStreamableHTTPServer(s))
	t.Cleanup(behind.Close)
	return client.HTTP{URL: behind.URL + "/mcp"}
}

// bookAt calls a server's tool book through a gateway over HTTP. It returns the
// result's text and how often a person was asked.
func bookAt(t *testing.T, behind client.Transport, version string, rounds int) (text string, asked int, err error) {
	t.Helper()
	a := connect(t, behind, version, rounds, func() agent.Answer {
		asked++
		return agent.Answer{Action: agent.Accept, Content: map[string]any{"city": "Rome"}}
	})
	text, err = agent.Call[string](t.Context(), a, "book", nil)
	return text, asked, err
}

// serve returns a client of a gateway over HTTP in front of a server.
func serve(t *testing.T, behind client.Transport, version string, rounds int) *client.Client {
	t.Helper()
	travel := client.New(behind, client.WithElicitation())
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
			return guard.Principal{Issuer: "test", Subject: "alice"}, nil
		})))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	endpoint, err := mcpgo.NewServer("gateway", "1.0.0", g)
	require.NoError(t, err)
	gw, err := gateway.New([]gateway.Upstream{{Name: "travel", Client: travel}}, func(tools []*contract.Tool) error {
		return mcpgo.Replace(endpoint, tools...)
	}, gateway.Options{Rounds: rounds, Base: contract.Base{NoPermissions: "It is a test."}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, gw.Close()) })
	_, err = gw.Refresh(t.Context())
	require.NoError(t, err)
	h, err := mcpgo.HandlerOf(endpoint)
	require.NoError(t, err)
	front := httptest.NewServer(h)
	t.Cleanup(front.Close)

	c := client.New(clienttest.Speaking(version, client.HTTP{URL: front.URL + "/mcp"}))
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// connect connects an agent to a gateway over HTTP in front of a server.
func connect(t *testing.T, behind client.Transport, version string, rounds int, answer func() agent.Answer) *agent.Agent {
	t.Helper()
	a, err := agent.Connect(t.Context(), serve(t, behind, version, rounds),
		agent.Options{Host: agent.Host{
			Ask: func(context.Context, agent.Question) (agent.Answer, error) { return answer(), nil },
		}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	return a
}

func TestWithRounds_LetsToolsAskTheClientOfTheGateway(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		text, asked, err := bookAt(t, modernTravel(t), version, 1)
		require.NoError(t, err, version)
		assert.Contains(t, text, "\nbooked Rome state of the server\n", version)
		assert.Equal(t, 1, asked, version)
	}
}

func TestNew_WithoutRoundsToolsCannotAsk(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		_, asked, err := bookAt(t, modernTravel(t), version, 0)
		var fatal *agent.FatalError
		require.ErrorAs(t, err, &fatal, version)
		assert.Equal(t, contract.CodeInternalError, fatal.Code, version)
		assert.Zero(t, asked, version)
	}
}
