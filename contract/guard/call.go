package guard

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/consent"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/store"
)

// A call is one request on its way through the pipeline. It holds the results
// of the stages, phase by phase. Only pipeline.go reads and sets them. A stage
// gets the phases that it needs, as values, and returns its own results.
type call struct {
	understood // with the phases before it: identified and arrival

	failures  failures        // found by Budget
	preview   previewToken    // found by RequireDryRun
	consent   consent.Session // found by OpenState, Confirm and StepUp
	slot      *slot           // found by Reserve; nil before it
	claim     claim           // found by Begin
	execution execution       // found by Run

	answered chan struct{} // closed when the terminal event was handed over
	terminal atomic.Bool   // the terminal event was written
}

// An arrival holds the facts that are known when a call comes in.
type arrival struct {
	ctx   context.Context
	guard *Guard
	tool  *protectedTool
	req   *Request
	start time.Time
	log   *journal
}

// An identified call has a principal. Lookup and Admit set its fields.
type identified struct {
	arrival

	principal Principal
	unknown   error    // why the principal cannot be found
	missing   []string // permissions that the call needs and the principal lacks
	charged   bool     // the call was counted against the rate limits
}

// An understood call has valid arguments. Validate and Resolve set its fields.
type understood struct {
	identified

	doc  *contract.Document // the clauses of this call: the tool's contract, or a weaker resolution
	args *bound.Arguments   // nil before Validate
	key  store.Key          // of a managed call
}

// An agreed call has every approval and preview that its contract demands. Its
// claim spends them.
type agreed struct {
	understood

	grant   consent.Grant
	preview previewToken
}

// A journal collects the data of a call for the audit log that is not in its
// phases. Any stage writes to it.
type journal struct {
	id           string   // the id of the call in the audit log
	stage        string   // the furthest stage that the call has reached
	reached      int      // its index
	cause        error    // why the call was refused or failed; the caller never gets it
	waived       []string // clauses that the call broke and that are only audited
	notPersisted bool     // the outcome could not be recorded
	tried        bool     // the tool author's preview was called
	asked        bool     // the call asked a question outside the client
	err          error    // the error of a call that has no result
}

// enter records that the call has reached a stage. A second pass through the
// loop does not lower the stage.
func (j *journal) enter(index int, stage string) {
	if j.stage == "" || index > j.reached {
		j.reached, j.stage = index, stage
	}
}

// note sets the cause unless there is one.
func (j *journal) note(err error) {
	if j.cause == nil {
		j.cause = err
	}
}

// waives reports whether a clause that the call breaks is only audited. If so,
// it records the clause.
func (in *arrival) waives(clause string) bool {
	if !in.tool.auditOnly[clause] {
		return false
	}
	if log := in.log; !slices.Contains(log.waived, clause) {
		log.waived = append(log.waived, clause)
		slices.Sort(log.waived)
	}
	return true
}

// scope is the scope of the keys of this call.
func (who *identified) scope() store.Scope {
	p := who.principal
	return who.guard.ledger.Scope(p.Issuer, p.Tenant, p.Subject, who.tool.doc.Name)
}

func (who *identified) principalDigest() string { return consent.PrincipalDigest(who.scope()) }

// audience names the server that was called.
func (in *arrival) audience() string {
	return in.guard.ledger.Scope(in.req.Server, "", "", "").Key("audience").ID.String()
}

// exactArguments returns a digest that identifies the arguments.
func (u *understood) exactArguments() string { return consent.ArgumentsDigest(u.args.Canonical) }

// agreed returns the agreed phase of the call.
func (c *call) agreed() agreed { return agreed{c.understood, c.consent.Grant, c.preview} }

// keyOf returns the key under which the call is claimed: the key of a managed
// call, else the nonce of the answer that it spends, so that one answer has one
// outcome. Zero: the call is not recorded.
func (a *agreed) keyOf() store.Key {
	if !a.key.IsZero() {
		return a.key
	}
	return a.grant.Nonce.Key
}

// started returns a copy of the call as it was when its handler started, for
// events that another goroutine writes. It reads only fields that do not change
// later.
func (c *call) started() *call {
	s := &call{
		understood: c.understood, failures: c.failures, preview: c.preview, consent: c.consent, claim: c.claim,
		execution: execution{ran: true},
	}
	s.log = &journal{id: c.log.id, waived: slices.Clone(c.log.waived)}
	return s
}

// event returns an event with the fields that all events of a call share.
func (c *call) event(kind audit.Kind, stage string) audit.Event {
	d, p, log, a := c.doc, c.principal, c.log, c.agreed()
	e := audit.Event{
		Time: time.Now(), Kind: kind, CallID: log.id,
		Tool: d.Name, AuditEvent: d.AuditEvent, Risk: d.Risk, Effect: d.Effect, Version: d.Version, ContractDigest: c.tool.contract.Digest(),
		Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Agent: !p.isPerson(),
		Stage: stage, AuditOnly: slices.Clone(log.waived),
	}
	if d != &c.tool.doc {
		e.Confirmation, e.Permissions = d.Confirmation.String(), slices.Clone(d.Permissions)
	}
	if key := a.keyOf(); !key.IsZero() {
		e.LookupKey = key.String()
	}
	if c.args != nil {
		e.ArgumentsDigest = c.guard.argumentsDigest(c.args.Canonical)
	}
	return e
}
