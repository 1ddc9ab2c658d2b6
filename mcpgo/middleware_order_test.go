package mcpgo_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// steps records what a request passes, in order.
type steps []string

func (s *steps) add(step string) { *s = append(*s, step) }

func (s *steps) middleware(name string) server.ToolHandlerMiddleware {
	return func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			s.add("middleware " + name)
			result, err := next(ctx, r)
			s.add("middleware " + name + " ends")
			return result, err
		}
	}
}

func (s *steps) filter(name string) server.ServerOption {
	return server.WithToolFilter(func(_ context.Context, found []mcp.Tool) []mcp.Tool {
		s.add("filter " + name)
		return found
	})
}

// hook adds hooks for calls, and for lists with the tools in them.
func (s *steps) hook(h *server.Hooks, name string) {
	h.AddBeforeCallTool(func(context.Context, any, *mcp.CallToolRequest) { s.add("hook " + name) })
	h.AddAfterCallTool(func(context.Context, any, *mcp.CallToolRequest, any) { s.add("hook " + name + " after") })
	h.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
		for _, tool := range r.Tools {
			s.add("hook " + name + " lists " + tool.Name)
		}
	})
}

// before returns options with one of each kind.
func (s *steps) before() []server.ServerOption {
	hooks := &server.Hooks{}
	s.hook(hooks, "before")
	return []server.ServerOption{
		server.WithHooks(hooks), s.filter("before"), server.WithToolHandlerMiddleware(s.middleware("before")),
	}
}

// after adds the same to a server that has contracts already.
func (s *steps) after(to *server.MCPServer) {
	s.hook(to.GetHooks(), "after")
	s.filter("after")(to)
	to.Use(s.middleware("after"))
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
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// contracted returns the ways to a server with contracts, with one of each kind
// from before and from after.
func contracted(t *testing.T) map[string]func(*steps) *server.MCPServer {
	t.Helper()
	served := func(s *steps) mcpgo.Option {
		return mcpgo.WithTools(s.read("notes.read").MustBuild(), s.read("notes.secret").Permissions("notes:read").MustBuild())
	}
	return map[string]func(*steps) *server.MCPServer{
		"NewServer": func(s *steps) *server.MCPServer {
			made, err := mcpgo.NewServer("kit", "1.0.0", s.guard(t), asWritten(served(s), mcpgo.WithServerOptions(s.before()...))...)
			require.NoError(t, err)
			return made
		},
		"Register": func(s *steps) *server.MCPServer {
			own := server.NewMCPServer("kit", "1.0.0", s.before()...)
			require.NoError(t, mcpgo.Register(own, s.guard(t), asWritten(served(s))...))
			return own
		},
		"Table.NewServer": func(s *steps) *server.MCPServer {
			table, err := mcpgo.NewTable("kit", "1.0.0", s.guard(t), asWritten(served(s), mcpgo.WithServerOptions(s.before()...))...)
			require.NoError(t, err)
			return made(t, table)
		},
		"Table.Register": func(s *steps) *server.MCPServer {
			table, err := mcpgo.NewTable("kit", "1.0.0", s.guard(t), asWritten(served(s))...)
			require.NoError(t, err)
			return registered(t, table, server.NewMCPServer("kit", "1.0.0", s.before()...))
		},
		"WrapAll": func(s *steps) *server.MCPServer {
			own := server.NewMCPServer("kit", "1.0.0", s.before()...)
			raw := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				s.add("handler")
				return mcp.NewToolResultText("read"), nil
			}
			own.AddTool(mcp.NewTool("notes.read", mcp.WithDescription("Reads.")), raw)
			own.AddTool(mcp.NewTool("notes.secret", mcp.WithDescription("Reads.")), raw)
			_, err := mcpgo.WrapAll(own, s.guard(t), wrap.Rules{
				Base:  contract.Base{Version: "1.0.0", Effect: risk.ReadOnly},
				Tools: map[string]wrap.Rule{"notes.secret": {Base: contract.Base{Permissions: []string{"notes:read"}}}},
			}, asWritten()...)
			require.NoError(t, err)
			return own
		},
	}
}

// The guard is inside all middleware, whenever it was added. Hooks, filters and
// middleware keep mcp-go's order.
func TestMiddlewareOrder_ACallPassesAllOfTheServerBeforeTheGuard(t *testing.T) {
	t.Parallel()
	for name, serve := range contracted(t) {
		var s steps
		own := serve(&s)
		s.after(own)
		handle(t, own, callOf("notes.read", `{}`))
		assert.Equal(t, steps{
			"hook before", "hook after", "filter before", "filter after", "middleware before", "middleware after",
			"guard", "handler",
			"middleware after ends", "middleware before ends", "hook before after", "hook after after",
		}, s, name)
	}
}

// Hooks from before see all tools, and hooks from later what the client sees.
func TestMiddlewareOrder_AListIsTrimmedInThePlaceOfRegister(t *testing.T) {
	t.Parallel()
	for name, serve := range contracted(t) {
		var s steps
		own := serve(&s)
		s.after(own)
		assert.Equal(t, []string{"notes.read"}, listedBy(t, t.Context(), own), name)
		assert.Equal(t, steps{
			"filter before", "filter after", "hook before lists notes.read", "hook before lists notes.secret", "guard",
			"hook after lists notes.read",
		}, s, name)
	}
}
