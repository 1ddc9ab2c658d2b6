package gosdk

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// A binding connects a table of contracts to one server of the SDK. While it
// serves, only current and refusals change.
type binding struct {
	server  *mcp.Server
	current atomic.Pointer[table]
	closed  bool             // tools without a contract are neither listed nor run
	wrapper *adapter.Wrapper // nil: no tools are wrapped by rules

	updates  sync.Mutex                // held while contracts are added
	begun    atomic.Bool               // a request came, so nothing waits any more
	waiting  map[string]waitingTool    // by each name that it takes; under updates
	refusals sync.Map                  // of tool name to refusal
	removed  map[string]*contract.Tool // by name in the SDK: those of WrapAll that Replace removed; under updates
	streams  adapter.Streams           // of a session over stdio
	http     mcp.StreamableHTTPOptions
	stranger sync.Once // warns of the first client that LocalUser does not know

	unsettled sync.Once // logs why the waiting tools cannot be served
}

// table returns the contracts that the binding serves now.
func (b *binding) table() *table { return b.current.Load() }

// A table has the contracts that a binding serves, with their registrations. It
// does not change once it is served: a binding that gets more contracts gets
// another table.
type table struct {
	*adapter.Table

	called map[string]*registration // by the name that clients call
	listed map[string]*registration // by the name in the SDK; no aliases
}

// A registration is one name that can be called, and the tool of the SDK that
// must be there for it.
type registration struct {
	entry *adapter.Entry
	// listed is the tool as clients see it. wire is its JSON, which reveals a
	// later change.
	listed *mcp.Tool
	wire   []byte
	// of is the name under which the tool is listed.
	of string
	// under and tool are the name and the tool in the SDK.
	under string
	tool  *mcp.Tool
	// adopted means that the tool is the server author's own and WrapAll found
	// it there. The SDK does not expose its handler (mcp/server.go:999), so the
	// middleware runs the guard on the way to it.
	adopted bool
}

// isRegistered reports whether this very tool is registered under the name.
func (r *registration) isRegistered(tools map[string]*mcp.Tool) bool { return tools[r.under] == r.tool }

// isServed reports whether a name can be called: its tool is registered and,
// for an alias, so is the tool it stands for.
func (t *table) isServed(r *registration, tools map[string]*mcp.Tool) bool {
	if !r.isRegistered(tools) {
		return false
	}
	of := t.called[r.of]
	return of != nil && of.isRegistered(tools)
}

func tableOf(t *adapter.Table) *table {
	return &table{Table: t, called: map[string]*registration{}, listed: map[string]*registration{}}
}

func (t *table) put(r *registration) {
	t.called[r.entry.Name()] = r
	if !r.entry.IsAlias() {
		t.listed[r.under] = r
	}
}

// isPlain reports whether a tool without a contract stays as it is: the server
// is open, no contract claims the name, and no rule wraps the tool.
func (b *binding) isPlain(name string) bool {
	t := b.table()
	return !b.closed && b.wrapper.Leaves(name) && !t.Claims(name) && t.listed[name] == nil
}

// bindings maps servers to their bindings and keeps neither alive. A server
// keeps its binding alive through its middleware.
var bindings sync.Map // of weak.Pointer[mcp.Server] to weak.Pointer[binding]

// settled returns the binding of a server, with no tool waiting. The error has
// the rule if the server has no contracts.
func settled(s *mcp.Server, rule string) (*binding, error) {
	b := bindingOf(s)
	if b == nil {
		return nil, errNoContracts(rule)
	}
	return b, b.settle(false)
}

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
