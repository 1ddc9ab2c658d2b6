package exchange

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// Operations are what an adapter does with a set of tools. They are safe for
// concurrent use.
type Operations interface {
	// Call runs one request through the pipeline. The error is
	// [ErrUnknownTool], [ErrRejectedState], [ErrNoServer] or nil.
	Call(ctx context.Context, req Request) (*Result, error)
	// UnknownTool writes the terminal event of a call of a name that does not
	// exist for the caller, if the transport refused the call. An empty name
	// means that the call has none.
	UnknownTool(ctx context.Context, name string)
	// Unparsable writes the terminal event of a call whose parameters the
	// transport could not read.
	Unparsable(ctx context.Context)
	// Volatile returns the names of deduplicated tools from high risk up whose
	// records are only in this process's memory, sorted. They can run twice if
	// more than one process serves them, or if a client outlives the process,
	// as over HTTP.
	Volatile() []string
	// Audience returns the audience of the tool with a name. It is nil if there
	// is no such tool. Tools that the same principals see share one.
	Audience(tool string) Audience
	// Sees returns a function that reports whether the caller of ctx sees the
	// tools of an audience, and false for a nil audience. It finds the
	// principal once, so the function is for one list only.
	Sees(ctx context.Context) func(Audience) bool
	// IdentifiesCallers reports whether the guard has a principal function.
	IdentifiesCallers() bool
	// OnlyLocal reports whether the principal function knows local callers
	// only, as adapter.LocalUser does.
	OnlyLocal() bool
	// HasApprover reports whether the guard asks people outside the client.
	HasApprover() bool
	// Principal returns the principal of ctx. The error of a caller that cannot
	// be identified now wraps guard.ErrUnavailable.
	Principal(ctx context.Context) (contract.Principal, error)
	// NamesServer reports whether every request must have a server's name; see
	// [ErrNoServer].
	NamesServer() bool
	// BeginDrain starts the drain time of the guard, unless it has begun, and
	// returns its end. Calls are still accepted. A server that finishes the
	// requests it has read, and then closes the guard, calls BeginDrain first.
	// Close then waits only for the rest of that time.
	BeginDrain() time.Time
}

// An Audience decides which principals see a tool in a list. Audiences can be
// compared.
type Audience interface {
	Includes(p *contract.Principal) bool
}

// A Half is embedded in a set of tools and holds its operations. It has no
// exported methods, because they would become methods of the set.
type Half struct{ operations Operations }

// Bind returns the half of a set of tools.
func Bind(o Operations) Half { return Half{o} }

func (h *Half) half() Operations { return h.operations }

// Of returns the operations of a set of tools.
func Of(set interface{ half() Operations }) Operations { return set.half() }
