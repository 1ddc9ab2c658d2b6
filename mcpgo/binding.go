package mcpgo

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// A binding connects a toolset of the guard to one mcp-go server, or to one
// session of it. While it serves, only world, sessions, declared, claimed and
// refused change.
type binding struct {
	server   *server.MCPServer
	world    atomic.Pointer[world]
	private  atomic.Bool        // see private.go
	identity mcp.Implementation // the serverInfo of a bare server
	bare     bool               // made without options for mcp-go
	closed   bool               // tools without a contract are neither listed nor run
	wrapper  *wrapper           // nil: no tools are wrapped by rules
	streams  adapter.Streams    // of a session over stdio
	timeout  time.Duration      // of a session over HTTP

	sessions sync.Map // of session id to server.ClientSession: those that began since the server has contracts
	declared sync.Map // of session id to mcp.ClientCapabilities: those of a local session's initialize
	claimed  claims   // names of contracts of single sessions

	joining sync.Mutex // held while contracts are added to the server or to a session
	refused sync.Map   // of refusedName to the identity of the tool, as text

	// parent and sessionID are set in the binding of a single session: the
	// binding of its server, and the session.
	parent    *binding
	sessionID string
}

// newBinding protects and defines the tools for a server of a name. A nil guard
// means one with no options.
func newBinding(name string, g *guard.Guard, c *config) (*binding, error) {
	c.table.Server = name
	t, err := adapter.NewTable(g, c.table)
	if err != nil {
		return nil, err
	}
	b := &binding{closed: c.closed, wrapper: c.wrapper, streams: c.streams, timeout: c.sessionTimeout}
	b.world.Store(newWorld(b, t, nil))
	return b, nil
}

// now returns the contracts of the binding at this moment.
func (b *binding) now() *world { return b.world.Load() }

// has reports whether a name belongs to a contract of this binding.
func (b *binding) has(name string) bool { return b.now().Claims(name) }

// A bindingQuery goes with a notification to the binding of a server, which
// fills it in. mcp-go calls no function of the server author for it.
type bindingQuery struct{ binding *binding }

type bindingQueryKey struct{}

const (
	bindingMethod  = "notifications/toolcontract/binding"
	bindingMessage = `{"jsonrpc":"2.0","method":"` + bindingMethod + `"}`
)

// bindingOf returns the binding of a server, nil if it has none.
func bindingOf(s *server.MCPServer) *binding {
	q := &bindingQuery{}
	s.HandleMessage(context.WithValue(context.Background(), bindingQueryKey{}, q), json.RawMessage(bindingMessage))
	return q.binding
}

// answerQuery handles the notification of a [bindingQuery]. It does nothing for
// one that a client sent.
func (b *binding) answerQuery(ctx context.Context, _ mcp.JSONRPCNotification) {
	if q, ok := ctx.Value(bindingQueryKey{}).(*bindingQuery); ok {
		q.binding = b
	}
}

// hook adds to the server's hooks.
func (b *binding) hook() {
	b.server.AddNotificationHandler(bindingMethod, b.answerQuery)
	hooks := b.server.GetHooks()
	if hooks == nil {
		hooks = &server.Hooks{}
		server.WithHooks(hooks)(b.server)
	}
	hooks.AddBeforeListTools(b.openCursor)
	hooks.AddBeforeListTools(b.adoptListed)
	hooks.AddBeforeCallTool(b.adoptCalled)
	hooks.AddAfterListTools(b.trim)
	hooks.AddOnError(b.auditRefusal)
	// The first, because the server author's hooks may call RegisterSession.
	hooks.OnRegisterSession = append([]server.OnRegisterSessionHookFunc{b.sessionBegan}, hooks.OnRegisterSession...)
	hooks.AddOnUnregisterSession(b.sessionEnded)
	hooks.AddAfterInitialize(b.sessionInitialized)
	hooks.AddBeforeSetLevel(keepsLogLevel)
}

// owns reports whether a hook was called for this server, because servers can
// share hooks.
func (b *binding) owns(ctx context.Context) bool { return server.ServerFromContext(ctx) == b.server }

// claims reports whether a name belongs to a contract, of the server or of the
// session of ctx. Nothing else is listed or run under it.
func (b *binding) claims(ctx context.Context, name string) bool {
	return b.has(name) || b.claimed.has(sessionID(ctx), name)
}

// entryOf returns the entry of a tool that mcp-go found, by the tool's
// definition: an entry of the server, or of the session that calls. It returns
// nil for a tool that is not from this package, and for one that the server no
// longer has.
func (b *binding) entryOf(ctx context.Context, found *mcp.Tool, handlers handlerFinder) *entry {
	if e := b.now().entryWith(found); e != nil {
		return e
	}
	if len(handlers.session) == 0 {
		return nil
	}
	of := entryBehind(handlers.of(found.Name))
	if of == nil || of.owner.parent != b || of.owner.sessionID != sessionID(ctx) {
		return nil
	}
	return of.owner.now().entryWith(found)
}
