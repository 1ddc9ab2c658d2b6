package exchange

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// A PlainCall takes one call of a [bound.Plain] through the guard. The request
// has its Run.
type PlainCall func(ctx context.Context, r Request) (*Result, error)

// Operations are what an adapter does with a set of tools. They are safe for
// concurrent use.
type Operations interface {
	// Call runs one request through the pipeline. The error is
	// [ErrUnknownTool], [ErrRejectedState], [ErrNoServer] or nil.
	Call(ctx context.Context, req Request) (*Result, error)
	// Plain returns the function that takes calls of a tool without a contract
	// through the pipeline.
	Plain(p bound.Plain) PlainCall
	// UnknownTool writes the terminal event of a call that the transport
	// refused because the caller has no tool of this name. An empty name means
	// that the call has none.
	UnknownTool(ctx context.Context, name string)
	// Unparsable writes the terminal event of a call whose parameters the
	// transport could not read.
	Unparsable(ctx context.Context)
	// Volatile returns the names of deduplicated tools from high risk up whose
	// records are only in this process's memory, sorted. They can run twice if
	// more than one process serves them, or if a client outlives the process,
	// as over HTTP.
	Volatile() []string
	// Document returns the contract that the guard enforces for the named tool,
	// which can be stricter than the declared one. It is zero if there is no such
	// tool.
	Document(tool string) contract.Document
	// Audience returns the named tool's audience. It is nil if there is no such
	// tool. Tools visible to the same principals share one.
	Audience(tool string) Audience
	// Sees returns a function that reports whether the caller of ctx sees the
	// tools of an audience, and false for a nil audience. It finds the
	// principal once, so the function is for one list only.
	Sees(ctx context.Context) func(Audience) bool
	// Own returns the tool of guard.WithOperations, or nil.
	Own() *contract.Tool
	// IdentifiesCallers reports whether the guard has a principal function.
	IdentifiesCallers() bool
	// OnlyLocal reports whether the principal function knows only local
	// callers, as adapter.LocalUser does.
	OnlyLocal() bool
	// HasApprover reports whether the guard asks people outside the client.
	HasApprover() bool
	// Principal returns the principal of ctx. If a caller cannot be identified
	// at the moment, the error wraps guard.ErrUnavailable.
	Principal(ctx context.Context) (contract.Principal, error)
	// NamesServer reports whether every request must have a server's name; see
	// [ErrNoServer].
	NamesServer() bool
	// BeginDrain starts the guard's drain time, unless it has started, and
	// returns its end. Calls are still accepted. A server that finishes the
	// requests it has read, and then closes the guard, calls BeginDrain first.
	// Close then waits only for the rest of that time.
	BeginDrain() time.Time
}

// An Audience decides which principals see a tool in a list. Audiences are
// comparable.
type Audience interface {
	Includes(p *contract.Principal) bool
}

// A Half holds the operations of a set of tools, which embeds it. It has no
// exported methods, because they would become methods of the set.
type Half struct {
	operations Operations
	protect    Protect
}

// A Protect puts some of a server's tools under the guard of its set, without
// the tools and the warnings that the guard adds for a whole server. It returns
// a *guard.Toolset.
type Protect func(tools []*contract.Tool) (any, error)

// Bind returns the half that holds o and protect.
func Bind(o Operations, protect Protect) Half { return Half{o, protect} }

func (h *Half) part() Protect { return h.protect }

// Part calls the [Protect] of a set.
func Part(set interface{ part() Protect }, tools []*contract.Tool) (any, error) {
	return set.part()(tools)
}

func (h *Half) pipeline() Operations { return h.operations }

// Of returns the operations of a set of tools.
func Of(set interface{ pipeline() Operations }) Operations { return set.pipeline() }
