package mcpgo

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// A binding connects a table of contracts to one mcp-go server, or to one
// session of it. While it serves, only current, privacy, sessions,
// capabilities, names and refusals change.
type binding struct {
	server   *server.MCPServer
	current  atomic.Pointer[table]
	privacy  unexported.Privacy
	identity mcp.Implementation // the serverInfo of a bare server
	bare     bool               // made without options for mcp-go
	closed   bool               // tools without a contract are neither listed nor run
	wrapper  *wrapper           // nil: no tools are wrapped by rules
	streams  adapter.Streams    // of a session over stdio
	timeout  time.Duration      // of a session over HTTP

	sessions     sync.Map     // of session id to server.ClientSession: those that began since the server has contracts
	capabilities sync.Map     // of session id to mcp.ClientCapabilities: those of a local session's initialize
	names        sessionNames // of contracts of single sessions

	updates  sync.Mutex             // held while contracts of the server or of a session change; see lock
	begun    atomic.Bool            // a request came, so that tools of AddTool no longer wait
	waits    atomic.Bool            // some wait
	waiting  map[string]waitingTool // by each name that it takes; under updates
	lost     []waitingTool          // that cannot be served, and why; under updates
	unserved error
	refusals refusals // the tools that came later and get no contract

	// parent and sessionID are set in the binding of a single session: the
	// binding of its server, and the session.
	parent    *binding
	sessionID string
}

// table returns the contracts that the binding has at this moment.
func (b *binding) table() *table {
	if b.waits.Load() {
		b.lock()
		b.updates.Unlock()
	}
	return b.current.Load()
}

// lock locks updates, and adds the tools that wait.
func (b *binding) lock() {
	b.updates.Lock()
	if b.waits.Load() {
		b.settle()
	}
}

// has reports whether a name belongs to a contract of this binding.
func (b *binding) has(name string) bool { return b.table().Claims(name) }

// reserves reports whether a name belongs to a contract, of the server or of
// the session of ctx. Nothing else is listed or run under it.
func (b *binding) reserves(ctx context.Context, name string) bool {
	return b.has(name) || b.names.has(session.ID(ctx), name)
}

// owns reports whether a hook was called for this server. Servers can share
// hooks.
func (b *binding) owns(ctx context.Context) bool { return server.ServerFromContext(ctx) == b.server }
