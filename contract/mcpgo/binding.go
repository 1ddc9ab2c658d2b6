package mcpgo

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// A binding connects a toolset of the guard to one mcp-go server, or to one
// session of it. While it serves, only sessions, declared and claimed
// change.
type binding struct {
	guard   *guard.Guard
	set     *guard.Toolset
	server  *server.MCPServer
	entries map[string]*entry    // by name and by alias, as listed and called
	byMeta  map[*mcp.Meta]*entry // the same, by the Meta of their definitions
	tier    ContractTier
	names   names
	barred  map[string]string // from names under which nothing may be registered, to their contracts
	closed  bool              // tools without a contract are neither listed nor run
	wrapper *wrapper          // nil: no tools are wrapped by rules
	varies  bool              // the list depends on the caller
	cursors *cursorSeal

	sessions sync.Map // of session id to server.ClientSession: those that began since the server has contracts
	declared sync.Map // of session id to mcp.ClientCapabilities: those of a local session's initialize
	claimed  claims   // names of contracts of single sessions

	resourceMetadata string // empty: challenges name none

	serverName string    // empty if the server was made without a name
	overHTTP   sync.Once // done at the first request with a header

	joining sync.Mutex // held while contracts are put into a session

	// parent and sessionID are set in the binding of a single session: the
	// binding of its server, and the session.
	parent    *binding
	sessionID string
}

// newBinding protects and defines the tools. A nil guard means one with no
// options.
func newBinding(g *guard.Guard, c *config) (*binding, error) {
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
	s := &binding{guard: g, set: set, tier: c.tier, names: newNames(c.naming, set.Tools(), c.serverNames), closed: c.closed, wrapper: c.wrapper, cursors: cursors}
	if c.resourceMetadata != nil {
		s.resourceMetadata = *c.resourceMetadata
	}
	if err := s.define(); err != nil {
		return nil, err
	}
	return s, nil
}

// define makes the entries of all tools that an agent may see, and bars the
// names of the others.
func (b *binding) define() error {
	b.entries, b.byMeta, b.barred = map[string]*entry{}, map[*mcp.Meta]*entry{}, map[string]string{}
	var errs []error
	for _, t := range b.set.Tools() {
		doc := t.Document()
		if isForbidden(doc) {
			continue
		}
		b.varies = b.varies || doc.NeedsPrincipal()
		entries, err := newEntries(doc, b.tier, b.names)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, e := range entries {
			if other := b.entries[e.tool.Name]; other != nil {
				errs = append(errs, collision(other.called, e))
				continue
			}
			e.owner = b
			b.entries[e.tool.Name], b.byMeta[e.tool.Meta] = e, e
		}
	}
	for _, t := range b.set.Tools() {
		errs = append(errs, b.bar(t.Document()))
	}
	return errors.Join(errs...)
}

// bar reserves the names of a contract that are not registered: those of a
// forbidden tool, and the contract's own name if it is listed under another.
func (b *binding) bar(doc contract.Document) error {
	listed := b.names.naming.Listed(doc.Name)
	if e := b.entries[listed]; e != nil && isForbidden(doc) {
		return collision(doc.Name, e)
	}
	for _, name := range []string{listed, doc.Name} {
		if b.entries[name] == nil {
			b.barred[name] = doc.Name
		}
	}
	return nil
}

// taken returns every name that belongs to a contract, with the name of that
// contract.
func (b *binding) taken() map[string]string {
	all := maps.Clone(b.barred)
	for name, e := range b.entries {
		all[name] = e.listed
	}
	return all
}

// has reports whether a name belongs to a contract of this binding.
func (b *binding) has(name string) bool { return b.entries[name] != nil || b.barred[name] != "" }

// registrations returns the tools to register with mcp-go, sorted by name.
func (b *binding) registrations() []server.ServerTool {
	tools := make([]server.ServerTool, 0, len(b.entries))
	for _, name := range slices.Sorted(maps.Keys(b.entries)) {
		tools = append(tools, server.ServerTool{Tool: b.entries[name].tool, Handler: b.entries[name].handle})
	}
	return tools
}

// hook adds to the server's hooks.
func (b *binding) hook() {
	hooks := b.server.GetHooks()
	if hooks == nil {
		hooks = &server.Hooks{}
		server.WithHooks(hooks)(b.server)
	}
	hooks.AddBeforeListTools(b.openCursor)
	hooks.AddAfterListTools(b.trim)
	hooks.AddOnError(b.auditRefusal)
	// The first, because the server author's hooks may call RegisterSession.
	hooks.OnRegisterSession = append([]server.OnRegisterSessionHookFunc{b.sessionBegan}, hooks.OnRegisterSession...)
	hooks.AddOnUnregisterSession(b.sessionEnded)
	hooks.AddAfterInitialize(b.sessionInitialized)
}

// owns reports whether a hook was called for this server, because servers can
// share hooks.
func (b *binding) owns(ctx context.Context) bool { return server.ServerFromContext(ctx) == b.server }

func isForbidden(doc contract.Document) bool { return doc.Risk == risk.Forbidden }

// claims reports whether a name belongs to a contract, of the server or of the
// session of ctx. Nothing else is listed or run under it.
func (b *binding) claims(ctx context.Context, name string) bool {
	return b.has(name) || b.claimed.has(sessionID(ctx), name)
}

// entryOf returns the entry of a tool that mcp-go found, by the tool's Meta: an
// entry of the server, or of the session that calls. It returns nil for a tool
// that is not from this package.
func (b *binding) entryOf(ctx context.Context, found mcp.Tool, handler server.ToolHandlerFunc) *entry {
	if e := b.byMeta[found.Meta]; e != nil {
		return e
	}
	behind := entryBehind(handler)
	if behind == nil || behind.owner.parent != b || behind.owner.sessionID != sessionID(ctx) {
		return nil
	}
	return behind.owner.byMeta[found.Meta]
}
