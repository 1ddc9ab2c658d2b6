package gosdk_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// steps records what a request passes, in order.
type steps []string

func (s *steps) add(step string) { *s = append(*s, step) }

// around returns middleware that records requests of one method on their way in
// and out. A list also has the tools in it.
func (s *steps) around(name, of string) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != of {
				return next(ctx, method, req)
			}
			s.add(name)
			result, err := next(ctx, method, req)
			if listed, ok := result.(*mcp.ListToolsResult); ok {
				for _, tool := range listed.Tools {
					s.add(name + " lists " + tool.Name)
				}
			}
			s.add(name + " ends")
			return result, err
		}
	}
}

// guard returns a guard that records when it asks who calls.
func (s *steps) guard(t *testing.T) *guard.Guard {
	t.Helper()
	who := guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
		s.add("guard")
		return guard.Principal{}, nil
	})
	g, err := guard.New(guard.WithPrincipal(who), guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	return g
}

// read returns a tool whose handler records its call.
func (s *steps) read(name string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) {
		s.add("handler")
		return "read", nil
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly)
}

func kitServer(t *testing.T, middleware ...mcp.Middleware) *mcp.Server {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "kit", Version: "1.0.0"}, nil)
	s.AddReceivingMiddleware(middleware...)
	return s
}

// A contract's handler and its guard are inside all middleware: the SDK runs
// what was added last first.
func TestMiddlewareOrder_ACallPassesAllMiddlewareBeforeTheGuard(t *testing.T) {
	t.Parallel()
	var s steps
	server := kitServer(t, s.around("before", "tools/call"))
	require.NoError(t, gosdk.Register(server, s.guard(t), asWritten(gosdk.WithTools(s.read("notes.read").MustBuild()))...))
	server.AddReceivingMiddleware(s.around("after", "tools/call"))
	_, err := callTool(t.Context(), inMemory(t, server, modern, nil), "notes.read", nil)
	require.NoError(t, err)
	assert.Equal(t, steps{"after", "before", "guard", "handler", "before ends", "after ends"}, s)
}

// A server author's own handler is reached only through the SDK, so the guard
// of WrapAll has the place of its middleware.
func TestMiddlewareOrder_ACallOfAWrappedToolPassesTheGuardInItsPlace(t *testing.T) {
	t.Parallel()
	var s steps
	server := kitServer(t, s.around("before", "tools/call"))
	server.AddTool(&mcp.Tool{Name: "old", Description: "Reads.", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			s.add("handler")
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "read"}}}, nil
		})
	_, err := gosdk.WrapAll(server, s.guard(t), wrap.Rules{Base: contract.Base{Version: "1.0.0", Effect: risk.ReadOnly}})
	require.NoError(t, err)
	server.AddReceivingMiddleware(s.around("after", "tools/call"))
	_, err = callTool(t.Context(), inMemory(t, server, modern, nil), "old", nil)
	require.NoError(t, err)
	assert.Equal(t, steps{"after", "guard", "before", "handler", "before ends", "after ends"}, s)
}

// Middleware from before sees all tools, and middleware from later what the
// client sees.
func TestMiddlewareOrder_AListIsTrimmedInThePlaceOfRegister(t *testing.T) {
	t.Parallel()
	var s steps
	server := kitServer(t, s.around("before", "tools/list"))
	served := gosdk.WithTools(s.read("notes.read").MustBuild(), s.read("notes.secret").Permissions("notes:read").MustBuild())
	require.NoError(t, gosdk.Register(server, s.guard(t), asWritten(served)...))
	server.AddReceivingMiddleware(s.around("after", "tools/list"))
	listed, err := inMemory(t, server, modern, nil).ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"notes.read"}, names(listed.Tools))
	assert.Equal(t, steps{"after", "before", "before lists notes.read", "before lists notes.secret", "before ends", "guard",
		"after lists notes.read", "after ends"}, s)
}

// A question of the guard passes all sending middleware.
func TestMiddlewareOrder_AQuestionPassesAllSendingMiddleware(t *testing.T) {
	t.Parallel()
	var s steps
	server := kitServer(t)
	server.AddSendingMiddleware(s.around("before", "elicitation/create"))
	asks := s.read("notes.read").ConfirmAlways().MustBuild()
	require.NoError(t, gosdk.Register(server, s.guard(t), asWritten(gosdk.WithTools(asks))...))
	server.AddSendingMiddleware(s.around("after", "elicitation/create"))
	p := &person{answer: approves}
	_, err := callTool(t.Context(), inMemory(t, server, legacy, p.options()), "notes.read", nil)
	require.NoError(t, err)
	assert.Equal(t, int64(1), p.asked.Load())
	assert.Equal(t, steps{"guard", "after", "before", "before ends", "after ends", "guard", "handler"}, s)
}
