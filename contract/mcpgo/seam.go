package mcpgo

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// A seam joins a toolset of the guard to one mcp-go server, or to one session
// of it.
type seam struct {
	guard   *guard.Guard
	set     *guard.Toolset
	server  *server.MCPServer
	entries map[string]*entry    // by name and by alias, as listed and called
	byMeta  map[*mcp.Meta]*entry // the same, by what marks their definitions
	code    uintptr              // of every handler
	tier    ContractTier
	naming  Naming
	barred  map[string]string // names of contracts that nothing is registered under, to the contract's own
	closed  bool              // tools without a contract are neither listed nor run
	varies  bool              // the list depends on who asks
	cursors *cursorSeal

	sessions sync.Map // of session id to session: those that may have tools of their own
	claimed  claims   // names of contracts of single sessions

	resourceMetadata string // empty: challenges name none

	serverName string    // empty where the server is the author's own
	overHTTP   sync.Once // the first request that came with a header

	joining sync.Mutex // held while contracts are put into a session

	// parent is the seam of the server, and sessionID the one session, of a seam
	// that serves no other. Nil and empty on a server's.
	parent    *seam
	sessionID string
}

// newSeam protects and defines the tools. A nil guard is one with no options.
func newSeam(g *guard.Guard, c *config) (*seam, error) {
	var err error
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
	s := &seam{guard: g, set: set, tier: c.tier, naming: c.naming, closed: c.closed, cursors: cursors, code: codeOf(newHandler(nil))}
	if c.resourceMetadata != nil {
		s.resourceMetadata = *c.resourceMetadata
	}
	if err := s.define(); err != nil {
		return nil, err
	}
	return s, nil
}

// define makes the entries of all tools that an agent may know of, and bars the
// names of contracts that are none.
func (s *seam) define() error {
	s.entries, s.byMeta, s.barred = map[string]*entry{}, map[*mcp.Meta]*entry{}, map[string]string{}
	var errs []error
	for _, t := range s.set.Tools() {
		doc := t.Document()
		if isForbidden(doc) {
			continue
		}
		s.varies = s.varies || doc.NeedsPrincipal()
		entries, err := newEntries(doc, s.tier, s.naming)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, e := range entries {
			if other := s.entries[e.tool.Name]; other != nil {
				errs = append(errs, collision(other.called, e))
				continue
			}
			e.owner = s
			s.entries[e.tool.Name], s.byMeta[e.tool.Meta] = e, e
		}
	}
	for _, t := range s.set.Tools() {
		errs = append(errs, s.bar(t.Document()))
	}
	return errors.Join(errs...)
}

// bar keeps a contract's names to itself that are not registered: those of a
// forbidden tool, and its own one where it is listed under another.
func (s *seam) bar(doc contract.Document) error {
	listed := s.naming.wire(doc.Name)
	if e := s.entries[listed]; e != nil && isForbidden(doc) {
		return collision(doc.Name, e)
	}
	for _, name := range []string{listed, doc.Name} {
		if s.entries[name] == nil {
			s.barred[name] = doc.Name
		}
	}
	return nil
}

// names returns every name that is a contract's, and the contract's own for each.
func (s *seam) names() map[string]string {
	all := maps.Clone(s.barred)
	for name, e := range s.entries {
		all[name] = e.listed
	}
	return all
}

// has reports whether a name is that of one of the contracts here.
func (s *seam) has(name string) bool { return s.entries[name] != nil || s.barred[name] != "" }

// registrations returns what mcp-go registers, sorted by name.
func (s *seam) registrations() []server.ServerTool {
	tools := make([]server.ServerTool, 0, len(s.entries))
	for _, name := range slices.Sorted(maps.Keys(s.entries)) {
		tools = append(tools, server.ServerTool{Tool: s.entries[name].tool, Handler: newHandler(s.entries[name])})
	}
	return tools
}

// hook adds to the server's hooks.
func (s *seam) hook() {
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
}

// owns reports whether a hook was called for this server: hooks can be shared.
func (s *seam) owns(ctx context.Context) bool { return server.ServerFromContext(ctx) == s.server }

// codeOf returns what all handlers of this package, and no others, share.
func codeOf(h server.ToolHandlerFunc) uintptr { return reflect.ValueOf(h).Pointer() }

func isForbidden(doc contract.Document) bool { return doc.Risk == risk.Forbidden }

// claims reports whether a name is a contract's, for the caller of ctx: nothing
// else is listed or run under it.
func (s *seam) claims(ctx context.Context, name string) bool {
	return s.has(name) || s.claimed.has(sessionID(ctx), name)
}

// entryOf returns what a tool that mcp-go found was registered as, by its Meta:
// with the server, or with the one session that asks. Nil is none of ours.
func (s *seam) entryOf(ctx context.Context, found mcp.Tool, handler server.ToolHandlerFunc) *entry {
	if e := s.byMeta[found.Meta]; e != nil {
		return e
	}
	owner := s.ownerOf(handler)
	if owner == nil || owner.parent != s || owner.sessionID != sessionID(ctx) {
		return nil
	}
	return owner.byMeta[found.Meta]
}

// An inquiry goes with a context into a handler or a hook of ours, which then
// does nothing but leave in it whose it is.
type inquiry struct{ owner *seam }

type inquiryKey struct{}

// ownerOf returns nil for a handler that is none of ours.
func (s *seam) ownerOf(handler server.ToolHandlerFunc) *seam {
	if handler == nil || codeOf(handler) != s.code {
		return nil
	}
	q := &inquiry{}
	_, _ = handler(context.WithValue(context.Background(), inquiryKey{}, q), mcp.CallToolRequest{}) // answers nothing
	return q.owner
}
