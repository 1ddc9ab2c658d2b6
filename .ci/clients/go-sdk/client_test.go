// Package clients runs the client of the official Go SDK against the examples,
// with the same scenarios as the npm clients.
package clients

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const modern = "2026-07-28"

// eras holds a protocol version with sessions and the one without.
var eras = []string{"2025-11-25", modern}

// serverKey is the key under which results of the modern era name their server.
const serverKey = "io.modelcontextprotocol/serverInfo"

// patience bounds a session, or the end of a server, that hangs.
const patience = 5 * time.Minute

// A target returns a transport to a server for a caller.
type target func(t *testing.T, c caller) mcp.Transport

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// silent configures a client without capabilities.
var silent = &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}

func connect(t *testing.T, era string, over mcp.Transport, options *mcp.ClientOptions) (context.Context, *mcp.ClientSession) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	client := mcp.NewClient(&mcp.Implementation{Name: "clients", Version: "1.0.0"}, options)
	session, err := client.Connect(ctx, over, &mcp.ClientSessionOptions{ProtocolVersion: era})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, session.Close()) })
	require.Equal(t, era, session.InitializeResult().ProtocolVersion)
	return ctx, session
}

type outcome struct {
	Status, Code, Class, CallID string
	Violations                  []struct{ Pointer string }
}

func outcomeOf(t *testing.T, result *mcp.CallToolResult) (o outcome) {
	t.Helper()
	data, err := json.Marshal(result.Meta[outcomeKey])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &o))
	return o
}

// callTool calls a tool and checks the properties of every result. It returns
// the result, its outcome and its first text.
func callTool(t *testing.T, ctx context.Context, session *mcp.ClientSession, era, tool string,
	arguments json.RawMessage) (*mcp.CallToolResult, outcome, string) {
	t.Helper()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(t, err)
	o := outcomeOf(t, result)
	assert.NotEmpty(t, o.CallID)
	assert.Equal(t, era == modern, result.Meta[serverKey] != nil)
	assert.Equal(t, result.IsError, o.Status == "error")
	require.NotEmpty(t, result.Content)
	text, ok := result.Content[0].(*mcp.TextContent)
	require.True(t, ok)
	assert.Equal(t, o.Class == "fatal", strings.HasPrefix(text.Text, "[FATAL] "))
	return result, o, text.Text
}

// refusal calls an unknown tool and returns the protocol error without the
// tool's name.
func refusal(t *testing.T, ctx context.Context, session *mcp.ClientSession, tool string) jsonrpc.Error {
	t.Helper()
	_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(`{}`)})
	var protocol *jsonrpc.Error
	require.True(t, errors.As(err, &protocol), "%v", err)
	return jsonrpc.Error{Code: protocol.Code, Message: strings.ReplaceAll(protocol.Message, tool, "NAME"), Data: protocol.Data}
}

func TestClient_RunsTheScenarios(t *testing.T) {
	all := scenarios(t)
	examples := build(t, all)
	seen := observed{}
	for _, s := range all {
		program := filepath.Join(examples, s.example)
		sent := newWire(t, program, s.flags(t))
		tools := sent.request(t, "tools/list", nil)["tools"].([]any)
		var results []map[string]any
		for _, c := range s.Calls {
			results = append(results, sent.request(t, "tools/call", map[string]any{"name": c.Tool, "arguments": c.Arguments}))
		}
		for _, era := range eras {
			t.Run(s.example+"/"+era+" over stdio", func(t *testing.T) {
				flags := s.flags(t)
				play(t, s, seen, era, "stdio", tools, results, func(t *testing.T, c caller) mcp.Transport {
					args := flags[:len(flags):len(flags)]
					if c.Permissions != nil {
						args = append(args, "-permissions", *c.Permissions)
					}
					return &mcp.CommandTransport{Command: exec.Command(program, args...), TerminateDuration: patience}
				})
			})
			t.Run(s.example+"/"+era+" over HTTP", func(t *testing.T) {
				url := serveHTTP(t, program, s.flags(t))
				play(t, s, seen, era, "HTTP", tools, results, func(t *testing.T, c caller) mcp.Transport {
					return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(c.Token)}}
				})
			})
		}
	}
	writeObserved(t, "kept-go-sdk.json", map[string]any{"facts": seen})
}

func play(t *testing.T, s scenario, seen observed, era, transport string, sentTools []any,
	sentResults []map[string]any, reach target) {
	where := era + " over " + transport
	for i, c := range s.Callers {
		if c.Over != "" && c.Over != transport {
			continue
		}
		t.Run(c.Name+" sees the permitted tools", func(t *testing.T) {
			ctx, session := connect(t, era, reach(t, c), silent)
			list, err := session.ListTools(ctx, nil)
			require.NoError(t, err)
			names := []string{}
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			assert.Equal(t, c.Tools, names)
			if i == 0 {
				seen.list(t, where, list.Tools, sentTools)
			}
		})
		for tool, code := range c.Refused {
			t.Run(c.Name+": "+tool+" is "+code+", whatever the arguments", func(t *testing.T) {
				ctx, session := connect(t, era, reach(t, c), silent)
				_, got, _ := callTool(t, ctx, session, era, tool, json.RawMessage(`{}`))
				seen.note("unlisted names", where, true)
				assert.Equal(t, code, got.Code)
				assert.Equal(t, "fatal", got.Class)
				assert.Empty(t, got.Violations)
			})
		}
		if s.Forbidden != "" {
			t.Run(c.Name+": the forbidden tool answers as an unknown name", func(t *testing.T) {
				ctx, session := connect(t, era, reach(t, c), silent)
				forbidden := refusal(t, ctx, session, s.Forbidden)
				assert.EqualValues(t, jsonrpc.CodeInvalidParams, forbidden.Code)
				assert.Equal(t, refusal(t, ctx, session, s.Unknown), forbidden)
			})
		}
	}
	for i, c := range s.Calls {
		t.Run(c.Title, func(t *testing.T) {
			ctx, session := connect(t, era, reach(t, s.Callers[0]), silent)
			result, got, text := callTool(t, ctx, session, era, c.Tool, c.Arguments)
			assert.Equal(t, c.Code, got.Code)
			assert.Equal(t, c.Class, got.Class)
			var pointers []string
			for _, v := range got.Violations {
				pointers = append(pointers, v.Pointer)
			}
			assert.Equal(t, c.Pointers, pointers)
			if c.Code != "" {
				assert.Nil(t, result.StructuredContent)
				assert.Contains(t, text, c.Code+": ")
			} else {
				structured, err := json.Marshal(result.StructuredContent)
				require.NoError(t, err)
				assert.JSONEq(t, text, string(structured))
				if c.Structured != nil {
					assert.JSONEq(t, string(c.Structured), string(structured))
				}
			}
			seen.result(t, where, result, sentResults[i])
		})
	}
}
