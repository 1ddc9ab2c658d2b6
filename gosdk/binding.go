package gosdk

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
)

// A binding connects a table of contracts to one server of the SDK. While it
// serves, only world and refused change.
type binding struct {
	server  *mcp.Server
	world   atomic.Pointer[world]
	closed  bool             // tools without a contract are neither listed nor run
	wrapper *adapter.Wrapper // nil: no tools are wrapped by rules

	joining  sync.Mutex      // held while contracts are added
	refused  sync.Map        // of the name of a later tool that gets no contract, to refused
	streams  adapter.Streams // of a session over stdio
	stranger sync.Once       // done at the first message of a client that LocalUser does not know
}

// now returns the contracts of the binding at this moment.
func (b *binding) now() *world { return b.world.Load() }

// A world is the set of contracts that a binding serves, with what is
// registered for them. It does not change once it is served: a binding that
// gets more contracts gets another world.
type world struct {
	table  *adapter.Table
	called map[string]*registration // by the name that is called
	listed map[string]*registration // by the name in the SDK, without aliases
}

// A registration is one name that can be called, and the tool of the SDK that
// must be there for it.
type registration struct {
	entry *adapter.Entry
	// listed is the tool as clients see it, and wire its JSON, which shows
	// whether it was changed.
	listed *mcp.Tool
	wire   []byte
	// of is the name under which the tool is listed.
	of string
	// under and tool are the name and the tool in the SDK.
	under string
	tool  *mcp.Tool
	// adopted means that the tool is the server author's own, which WrapAll
	// found there. The SDK does not pass on its handler (mcp/server.go:999), so
	// the middleware passes the call through the guard on its way to it.
	adopted bool
}

// isRegistered reports whether the tool of the registration is there, and no
// other.
func (r *registration) isRegistered(tools map[string]*mcp.Tool) bool { return tools[r.under] == r.tool }

// isServed reports whether a name can be called: its tool is registered, and
// for an alias also the one that it stands for.
func (w *world) isServed(r *registration, tools map[string]*mcp.Tool) bool {
	if !r.isRegistered(tools) {
		return false
	}
	of := w.called[r.of]
	return of != nil && of.isRegistered(tools)
}

func newWorld(t *adapter.Table) *world {
	return &world{table: t, called: map[string]*registration{}, listed: map[string]*registration{}}
}

func (w *world) put(r *registration) {
	w.called[r.entry.Name()] = r
	if !r.entry.IsAlias() {
		w.listed[r.under] = r
	}
}

// isPlain reports whether a tool without a contract stays as it is: in an open
// world, under a name that belongs to no contract, if no rule wraps it.
func (b *binding) isPlain(name string) bool {
	w := b.now()
	return !b.closed && b.wrapper.Leaves(name) && !w.table.Claims(name) && w.listed[name] == nil
}

// bindings holds the binding of each server that has one. It keeps neither: a
// server keeps its binding by its middleware.
var bindings sync.Map // of weak.Pointer[mcp.Server] to weak.Pointer[binding]

// bindingOf returns nil for a server without contracts.
func bindingOf(s *mcp.Server) *binding {
	if s == nil {
		return nil
	}
	found, ok := bindings.Load(weak.Make(s))
	if !ok {
		return nil
	}
	pointer, ok := found.(weak.Pointer[binding])
	if !ok {
		return nil
	}
	return pointer.Value()
}

// bind reports false if the server has a binding already.
func (b *binding) bind() bool {
	key := weak.Make(b.server)
	if _, bound := bindings.LoadOrStore(key, weak.Make(b)); bound {
		return false
	}
	runtime.AddCleanup(b.server, func(key weak.Pointer[mcp.Server]) { bindings.Delete(key) }, key)
	return true
}

// unbind forgets a binding that could not be completed.
func (b *binding) unbind() { bindings.Delete(weak.Make(b.server)) }
