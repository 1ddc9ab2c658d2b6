package guard

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/text"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// An Adapter gives an adapter of an MCP SDK the operations that it needs
// besides [Toolset.Call] and [Toolset.Visible]. Server authors do not need it.
// [Toolset.Adapter] returns one.
type Adapter struct{ set *Toolset }

// Adapter returns the operations for an adapter of an MCP SDK.
func (s *Toolset) Adapter() Adapter { return Adapter{s} }

// CodeUnknownTool is the code in the audit log of a call of a name that does
// not exist for the caller. No caller gets it, because the protocol has its own
// answer.
const CodeUnknownTool = "unknown_tool"

// CodeRejectedState is the code in the audit log of a call with a state that no
// question issued for it; see [ErrRejectedState].
const CodeRejectedState = "rejected_state"

// CodeUnparsable is the code in the audit log of a call whose parameters the
// transport could not read.
const CodeUnparsable = "unparsable"

// A Refusal is a call that a transport refused before it reached the guard.
type Refusal struct {
	// Tool is the name that was called, if it is known.
	Tool string
	// Code is [CodeUnknownTool] or [CodeUnparsable].
	Code string
}

// maxToolName bounds a name that a caller made up, in bytes.
const maxToolName = 128

// Refused writes the terminal event of a call that never reached the guard.
func (a Adapter) Refused(ctx context.Context, r Refusal) { a.set.refused(ctx, r) }

func (s *Toolset) refused(ctx context.Context, r Refusal) {
	p, err := s.guard.findPrincipal(ctx)
	if err != nil {
		p = Principal{}
	}
	name, _ := trust.Sanitize(r.Tool)
	s.guard.recorder.Put(audit.Event{
		Time: time.Now(), Kind: audit.Terminal, CallID: rand.Text(), Tool: text.Cut(name, maxToolName),
		Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Agent: !p.isPerson(),
		Decision: audit.Deny, Stage: stageLookup, Status: contract.StatusError.String(), Code: r.Code,
	})
}

// Volatile returns the names of managed tools from high risk up whose records
// are only in this process's memory, sorted. They can run twice if more than
// one process serves them, or if a client outlives the process, as over HTTP;
// see [WithStore].
func (a Adapter) Volatile() []string {
	if !a.set.guard.ledger.IsLocal() {
		return nil
	}
	var names []string
	for _, t := range a.set.tools {
		if t.isManaged() && t.doc.Risk.AtLeast(risk.High) {
			names = append(names, t.doc.Name)
		}
	}
	return names
}

// BeginDrain starts the time of [WithDrain], unless it has begun, and returns
// its end. Calls are still accepted. A server that finishes the requests it has
// read, and then closes the guard, calls BeginDrain first. Close then waits
// only for the rest of that time.
func (a Adapter) BeginDrain() time.Time { return a.set.guard.beginDrain() }
