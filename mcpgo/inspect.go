package mcpgo

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// This file finds the binding of a server, which mcp-go has no place for.

// A query goes with a notification to the binding of a server, which fills it
// in. mcp-go calls no function of the server author for it.
type query struct {
	binding *binding
	ctx     context.Context
}

type queryKey struct{}

const (
	queryMethod  = "notifications/toolcontract/binding"
	queryMessage = `{"jsonrpc":"2.0","method":"` + queryMethod + `"}`
)

// ask returns the binding of a server, nil if it has none, and ctx as mcp-go
// completes it for the handlers of the server: with the server itself.
func ask(ctx context.Context, s *server.MCPServer) (*binding, context.Context) {
	q := &query{ctx: ctx}
	s.HandleMessage(context.WithValue(ctx, queryKey{}, q), json.RawMessage(queryMessage))
	return q.binding, q.ctx
}

// bindingOf returns the binding of a server, or nil if it has none.
func bindingOf(s *server.MCPServer) *binding {
	if s == nil {
		return nil
	}
	b, _ := ask(context.Background(), s)
	return b
}

// answerQuery handles the notification of a [query]. It does nothing for one
// that a client sent.
func (b *binding) answerQuery(ctx context.Context, _ mcp.JSONRPCNotification) {
	if q, ok := ctx.Value(queryKey{}).(*query); ok {
		q.binding, q.ctx = b, ctx
	}
}

// A listing goes with a tools/list into the first filter of this package, which
// fills in the tools as they arrive, before any of them is hidden.
type listing struct {
	binding *binding
	tools   []mcp.Tool
}

type listingKey struct{}

const listingMessage = `{"jsonrpc":"2.0","id":"toolcontract/verify","method":"tools/list"}`

func listingFrom(ctx context.Context) *listing {
	l, _ := ctx.Value(listingKey{}).(*listing)
	return l
}

// inspect returns the binding of a server, nil if it has none, and all tools of
// the server. Task tools that an earlier filter hides are missing.
func inspect(s *server.MCPServer) (*binding, []mcp.Tool) {
	if s == nil {
		return nil, nil
	}
	l := &listing{}
	s.HandleMessage(context.WithValue(context.Background(), listingKey{}, l), json.RawMessage(listingMessage))
	if l.binding == nil || l.binding.server != s {
		return nil, nil
	}
	return l.binding, withRegistered(s, l.tools)
}

// withRegistered returns tools with those that are registered by now.
func withRegistered(s *server.MCPServer, tools []mcp.Tool) []mcp.Tool {
	registered := s.ListTools()
	found := slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool { return registered[t.Name] != nil })
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		found = append(found, registered[name].Tool)
	}
	return found
}
