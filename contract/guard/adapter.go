package guard

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/internal/exchange"
)

// An Adapter gives an adapter of an MCP SDK the operations that it needs
// besides [Toolset.Call] and [Toolset.Visible]. Server authors do not need it.
// [Toolset.Adapter] returns one.
type Adapter struct{ set *Toolset }

// Adapter returns the operations for an adapter of an MCP SDK.
func (s *Toolset) Adapter() Adapter { return Adapter{s} }

// UnknownTool writes the terminal event of a call of a name that does not exist
// for the caller, if the transport refused the call. Its code in the audit log
// is unknown_tool. An empty name means that the call has none.
func (a Adapter) UnknownTool(ctx context.Context, name string) {
	a.set.set.UnknownTool(ctx, name)
}

// Unparsable writes the terminal event of a call whose parameters the transport
// could not read. Its code in the audit log is unparsable.
func (a Adapter) Unparsable(ctx context.Context) { a.set.set.Unparsable(ctx) }

// Volatile returns the names of managed and keyed tools from high risk up whose
// records are only in this process's memory, sorted. They can run twice if more
// than one process serves them, or if a client outlives the process, as over
// HTTP; see [WithStore]. Tools whose contracts declare the rerun by onUnknown
// are left out, because their authors expect a second run.
func (a Adapter) Volatile() []string {
	return a.set.set.Volatile()
}

// IdentifiesCallers is [Guard.IdentifiesCallers] of the guard of the tools.
func (a Adapter) IdentifiesCallers() bool { return a.set.guard.IdentifiesCallers() }

// Principal returns the principal of ctx, as [WithPrincipal] finds it. The
// error wraps [ErrUnavailable] if the caller cannot be identified now. Any
// other error means that the credentials are not valid.
func (a Adapter) Principal(ctx context.Context) (Principal, error) {
	return a.set.set.Principal(ctx)
}

// NamesServer reports whether every request must have a server's name; see
// [ErrNoServer]. An adapter refuses to serve without one.
func (a Adapter) NamesServer() bool { return a.set.set.NamesServer() }

// BeginDrain starts the time of [Times.Drain], unless it has begun, and returns
// its end. Calls are still accepted. A server that finishes the requests it has
// read, and then closes the guard, calls BeginDrain first. Close then waits
// only for the rest of that time.
func (a Adapter) BeginDrain() time.Time { return a.set.set.BeginDrain() }

// An Audience decides which principals see a tool in a list. Tools that the
// same principals see share one, so a long list reads a few audiences instead
// of the contract of each tool. It is immutable and safe for concurrent use,
// and two audiences can be compared. [Adapter.Audience] returns one.
type Audience = exchange.Audience

// Audience returns the audience of the tool with a name. It is nil if the
// toolset has no such tool.
func (a Adapter) Audience(tool string) Audience { return a.set.set.Audience(tool) }

// Sees returns a function that reports whether the caller of ctx sees the tools
// of an audience, as [Toolset.Visible] decides it. The function reports false
// for a nil audience. Sees finds the principal once, so use the function for
// one list only. The function is safe for concurrent use.
func (a Adapter) Sees(ctx context.Context) func(Audience) bool { return a.set.set.Sees(ctx) }
