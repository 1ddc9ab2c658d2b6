package guard

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/text"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// An Adapter gives an adapter of an MCP SDK the operations that it needs
// besides [Toolset.Call] and [Toolset.Visible]. Server authors do not need it.
// [Toolset.Adapter] returns one.
type Adapter struct{ set *Toolset }

// Adapter returns the operations for an adapter of an MCP SDK.
func (s *Toolset) Adapter() Adapter { return Adapter{s} }

// The codes that only the audit log has, because the protocol has its own
// answers to these calls.
const (
	codeUnknownTool   = "unknown_tool"   // the name does not exist for the caller
	codeRejectedState = "rejected_state" // ErrRejectedState
	codeUnparsable    = "unparsable"     // the transport could not read the parameters
	codeCancelled     = "cancelled"      // contract.StatusCancelled, which has no code of its own
)

// maxToolName bounds a name that a caller made up, in bytes.
const maxToolName = 128

// UnknownTool writes the terminal event of a call of a name that does not exist
// for the caller, if the transport refused the call. Its code in the audit log
// is unknown_tool. An empty name means that the call has none.
func (a Adapter) UnknownTool(ctx context.Context, name string) {
	a.set.refused(ctx, name, codeUnknownTool)
}

// Unparsable writes the terminal event of a call whose parameters the transport
// could not read. Its code in the audit log is unparsable.
func (a Adapter) Unparsable(ctx context.Context) { a.set.refused(ctx, "", codeUnparsable) }

// refused writes the terminal event of a call that never reached the pipeline.
func (s *Toolset) refused(ctx context.Context, tool, code string) {
	ctx, answered := s.guard.observe(ctx, nil)
	defer answered()
	p := s.guard.viewer(ctx)
	name, _ := trust.Sanitize(tool)
	s.guard.recorder.Put(ctx, audit.Event{
		Time: time.Now(), Kind: audit.Terminal, CallID: rand.Text(), Tool: text.Cut(name, maxToolName),
		Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Agent: !isPerson(p),
		Decision: audit.Deny, Stage: stageLookup, Status: contract.StatusError.String(), Code: code,
	})
}

// Volatile returns the names of managed and keyed tools from high risk up whose
// records are only in this process's memory, sorted. They can run twice if more
// than one process serves them, or if a client outlives the process, as over
// HTTP; see [WithStore]. Tools whose contracts declare the rerun by onUnknown
// are left out, because their authors expect a second run.
func (a Adapter) Volatile() []string {
	if !a.set.guard.ledger.IsLocal() {
		return nil
	}
	var names []string
	for _, t := range a.set.tools {
		if t.isDeduplicated() && t.doc.Risk.AtLeast(risk.High) && t.doc.Idempotency.OnUnknown != idempotency.Rerun {
			names = append(names, t.doc.Name)
		}
	}
	return names
}

// IdentifiesCallers is [Guard.IdentifiesCallers] of the guard of the tools.
func (a Adapter) IdentifiesCallers() bool { return a.set.guard.IdentifiesCallers() }

// Principal returns the principal of ctx, as [WithPrincipal] finds it. The
// error wraps [ErrUnavailable] if the caller cannot be identified now. Any
// other error means that the credentials are not valid.
func (a Adapter) Principal(ctx context.Context) (Principal, error) {
	p, err := a.set.guard.findPrincipal(ctx, logged{})
	if err != nil && isOutage(err) {
		return Principal{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return p, err
}

// NamesServer reports whether every request must have a server's name; see
// [ErrNoServer]. An adapter refuses to serve without one.
func (a Adapter) NamesServer() bool { return a.set.guard.namesServer }

// BeginDrain starts the time of [WithDrain], unless it has begun, and returns
// its end. Calls are still accepted. A server that finishes the requests it has
// read, and then closes the guard, calls BeginDrain first. Close then waits
// only for the rest of that time.
func (a Adapter) BeginDrain() time.Time { return a.set.guard.beginDrain() }
