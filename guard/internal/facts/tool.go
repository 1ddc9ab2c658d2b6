// Package facts holds what a guard knows about a tool before any call, and the
// view of a call that the stages share.
package facts

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A ProtectedTool is a tool under a guard. [NewTool] makes one. Once calls use
// it, only its [State] changes.
type ProtectedTool struct {
	Conditions
	State

	Contract  *contract.Tool // nil: the tool has none, and Plain says what it has
	Plain     *bound.Plain   // nil: the tool has a contract
	Doc       contract.Document
	Declared  *contract.Document // Doc without what the bound of a session adds
	Identity  string             // the oldest name that the contract declares, for keys and counts
	Impl      bound.Impl         // decodes arguments, runs the author's functions, encodes results
	AuditOnly map[string]bool
	Audience  *Audience
	Reads     []contract.DataKind // what results may contain, as the contract declares it
}

// Conditions holds what follows from a contract and its guard's options, so
// that no call has to work it out.
type Conditions struct {
	// Asks means that a person may be asked to confirm a call.
	Asks bool
	// DemandsStepUp means that the contract demands a step-up, and StepsUp that
	// a person may be sent to authenticate.
	DemandsStepUp, StepsUp bool
	// AsksPeople means that a call may be one of several rounds, with a
	// question asked in an earlier round.
	AsksPeople bool
	// AsksForInput means that the handler may ask the client for input.
	AsksForInput bool
	// TakesState means that a call may carry state: a question's or the
	// handler's.
	TakesState bool
	// HasPreview means that the tool has a dry run, and RequiresDryRun that a
	// call needs one.
	HasPreview, RequiresDryRun bool
	// Resolves means that the clauses depend on the arguments.
	Resolves bool
	// IsRead means that the tool has no effect, whatever its arguments are.
	IsRead bool
	// IsDeduplicated means that the guard deduplicates calls of the tool. A
	// call of a keyed tool may still have no key.
	IsDeduplicated bool
	// TakesClientKey means that the contract lets the client send the key.
	TakesClientKey bool
	// GuessesKey means that all arguments together are the key of a call for
	// which the client sends none.
	GuessesKey bool
	// ClaimChecksBudget means that the claim of a call with a key is its only
	// query to the store, so the claim also checks the retry budget.
	ClaimChecksBudget bool
	// WritesIntent means that a call must be in the audit log before it
	// happens.
	WritesIntent bool
}

// NewTool returns the facts about a tool. auditOnly has the tool's clauses that
// are only audited. hasStepUp means that the guard can send a person to
// authenticate. isBound means that a session bound can make it ask about every
// change.
func NewTool(declared *contract.Tool, auditOnly map[string]bool, hasStepUp, isBound bool) *ProtectedTool {
	t := &ProtectedTool{
		Contract: declared, Doc: declared.Document(), Impl: bound.Of(declared), AuditOnly: auditOnly,
	}
	d := &t.Doc
	t.Declared = d
	isBound = isBound && d.Effect != risk.ReadOnly
	if isBound && d.Confirmation < contract.ConfirmationWhen && !auditOnly[ClauseConfirmation] {
		declared := *d
		t.Declared = &declared
		*d = t.Impl.Asking(*d).(contract.Document) //nolint:forcetypeassert // see [bound.Impl]
	}
	t.Identity = declare.Oldest(d.Name, d.Aliases)
	deduplicated := d.Idempotency != nil && d.Idempotency.Mode.Deduplicates()
	t.Conditions = Conditions{
		Asks:           isBound || d.Confirmation == contract.ConfirmationWhen || d.Confirmation == contract.ConfirmationAlways,
		DemandsStepUp:  d.StepUp != nil,
		StepsUp:        d.StepUp != nil && hasStepUp,
		AsksForInput:   t.Impl.Facts().Rounds > 0,
		HasPreview:     d.DryRun == dryrun.Supported || d.DryRun == dryrun.Required,
		RequiresDryRun: d.DryRun == dryrun.Required,
		Resolves:       t.Impl.Facts().Has.Resolve,
		IsRead:         d.Effect == risk.ReadOnly,
		IsDeduplicated: deduplicated,
		TakesClientKey: deduplicated && d.Idempotency.ClientKey,
		GuessesKey:     deduplicated && d.Idempotency.ArgumentsRetention > 0,
		WritesIntent:   d.Risk.AtLeast(risk.High),
	}
	t.AsksPeople = t.Asks || t.StepsUp
	t.TakesState = t.AsksPeople || t.AsksForInput
	t.ClaimChecksBudget = !t.AsksPeople && !t.RequiresDryRun && !t.IsRead
	t.Audience = audienceOf(t)
	if len(d.Reads) > 0 {
		t.Reads = d.Effective().Reads
	}
	if d.MaxConcurrent > 0 {
		t.Slots = make(chan struct{}, d.MaxConcurrent)
	}
	return t
}

// audienceOf returns the audience of a tool. If permissions are only audited,
// every known principal sees the tool. Only people see a forbidden tool.
func audienceOf(t *ProtectedTool) *Audience {
	a := &Audience{agents: t.Doc.Risk != risk.Forbidden, anonymous: !t.Doc.NeedsPrincipal()}
	if t.AuditOnly[ClausePermissions] {
		return a
	}
	a.needed = t.Doc.DiscoverWith
	if len(a.needed) == 0 {
		a.needed = t.Doc.Permissions
	}
	return a
}

// MayCall reports whether a principal has the permissions for some call of the
// tool.
func (t *ProtectedTool) MayCall(p *contract.Principal) bool {
	return t.Audience.Includes(p) &&
		(t.Resolves || t.AuditOnly[ClausePermissions] || len(p.Missing(t.Doc.Permissions)) == 0)
}

// Digest returns the digest of the contract, computed on first use, because
// most of a server's tools are not called right after it starts. It is empty
// without a contract.
func (t *ProtectedTool) Digest() string {
	if t.Contract == nil {
		return ""
	}
	return t.Contract.Digest()
}

// IsAtomic reports whether the guard commits the handler's writes together with
// the record of a success, and undoes them otherwise.
func (t *ProtectedTool) IsAtomic() bool { return t.Doc.Idempotency != nil && t.Doc.Idempotency.Atomic }

// Mode returns the contract's failure mode for a code. A code that is not
// listed is fatal.
func (t *ProtectedTool) Mode(code string) contract.FailureMode {
	for _, m := range t.Doc.FailureModes {
		if m.Code == code {
			return m
		}
	}
	return contract.FailureMode{Code: code, Class: contract.ClassFatal, Description: "The call failed.", By: contract.ByGuard}
}

// Delimiting returns how the contract delimits texts.
func (t *ProtectedTool) Delimiting() trust.Delimiting {
	return t.Doc.Delimit.Effective(t.Doc.ContentTrust)
}

// Declares reports whether a code is one of the tool's own failures.
func (t *ProtectedTool) Declares(code string) bool {
	for _, m := range t.Doc.FailureModes {
		if m.Code == code && m.By == contract.ByTool {
			return true
		}
	}
	return false
}
