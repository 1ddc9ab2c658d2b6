package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// NewServer makes an mcp-go server that lists the tools with their contracts
// and runs each call of them through g. Nothing else that is registered with
// the server as a tool is listed or run; prompts and resources are as mcp-go
// has them.
//
// A nil g is guard.New with no options: every caller is anonymous, so that only
// tools that need no principal can be served. The caller closes a guard of its
// own when the server has ended.
//
// The error joins a [contract.DeclarationError] for everything that is wrong
// with the tools or the options. The server is safe for concurrent use.
func NewServer(name, version string, g *guard.Guard, opts ...Option) (*server.MCPServer, error) {
	s, err := newSeam(name, version, g, opts)
	if err != nil {
		return nil, err
	}
	return s.server, nil
}

// A seam joins a toolset of the guard to one mcp-go server.
type seam struct {
	guard   *guard.Guard
	set     *guard.Toolset
	server  *server.MCPServer
	entries map[string]*entry    // by name and by alias
	byMeta  map[*mcp.Meta]*entry // the same, by what marks their definitions
	code    uintptr              // of every handler
	tier    ContractTier
	varies  bool // the list depends on who asks
	cursors *cursorSeal

	sessions sync.Map // of session to struct{}: those that may have tools of their own
}

func newSeam(name, version string, g *guard.Guard, opts []Option) (*seam, error) {
	c, err := newConfig(name, version, opts)
	if err != nil {
		return nil, err
	}
	if g == nil {
		if g, err = guard.New(); err != nil {
			return nil, err
		}
	}
	set, err := g.Protect(c.tools...)
	if err != nil {
		return nil, err
	}
	cursors, err := newCursorSeal()
	if err != nil {
		return nil, err
	}
	s := &seam{guard: g, set: set, tier: c.tier, cursors: cursors, code: codeOf(newHandler(nil, ""))}
	if err := s.define(); err != nil {
		return nil, err
	}
	if err := s.open(name, version, c.server); err != nil {
		return nil, err
	}
	return s, nil
}

// open makes the server and registers everything with it. mcp-go panics on what
// it does not take, and so may an option of the author's; both become errors.
func (s *seam) open(name, version string, author []server.ServerOption) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &contract.DeclarationError{
				Rule: "serve.rejected", Clause: "ServerOptions",
				Message: fmt.Sprintf("mcp-go, or one of its options, panicked: %v", v), Remedy: "mend the options",
			}
		}
	}()
	options := append([]server.ServerOption{server.WithToolFilter(s.admit)}, author...)
	options = append(options, server.WithToolFilter(s.confine))
	s.server = server.NewMCPServer(name, version, options...)

	hooks := s.server.GetHooks()
	if hooks == nil {
		hooks = &server.Hooks{}
		server.WithHooks(hooks)(s.server)
	}
	hooks.AddBeforeListTools(s.openCursor)
	hooks.AddAfterListTools(s.trim)
	hooks.AddOnError(s.auditRefusal)
	hooks.AddOnRegisterSession(s.sessionBegan)
	hooks.AddOnUnregisterSession(s.sessionEnded)

	tools := make([]server.ServerTool, 0, len(s.entries))
	for name, e := range s.entries {
		tools = append(tools, server.ServerTool{Tool: e.tool, Handler: newHandler(s, name)})
	}
	s.server.AddTools(tools...)
	return nil
}

// owns reports whether a hook was called for this server: hooks can be shared.
func (s *seam) owns(ctx context.Context) bool { return server.ServerFromContext(ctx) == s.server }

// codeOf returns what all handlers of this package, and no others, share.
func codeOf(h server.ToolHandlerFunc) uintptr { return reflect.ValueOf(h).Pointer() }

// define makes the entries of all tools that an agent may know of.
func (s *seam) define() error {
	s.entries, s.byMeta = map[string]*entry{}, map[*mcp.Meta]*entry{}
	var errs []error
	for _, t := range s.set.Tools() {
		doc := t.Document()
		if isForbidden(doc) {
			continue
		}
		s.varies = s.varies || doc.NeedsPrincipal()
		entries, err := newEntries(doc, s.tier)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, e := range entries {
			s.entries[e.tool.Name], s.byMeta[e.tool.Meta] = e, e
		}
	}
	return errors.Join(errs...)
}
