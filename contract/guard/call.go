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

// A call is one request on its way through the pipeline. It holds what the
// stages found, phase by phase; only pipeline.go reads and sets it. A stage
// gets the phases that it needs, as values, and returns what it found.
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

// An arrival is what is known of a call when it comes in.
type arrival struct {
	ctx   context.Context
	guard *Guard
	tool  *protectedTool
	req   *Request
	start time.Time
	log   *journal
}

// An identified call has a principal. Lookup and Admit find it out.
type identified struct {
	arrival

	principal Principal
	unknown   error    // why the principal cannot be found
	missing   []string // permissions that the call needs and the principal lacks
	charged   bool     // the call was counted against the rate limits
}

// An understood call has valid arguments. Validate and Resolve find it out.
type understood struct {
	identified

	doc  *contract.Document // what holds for this call: the tool's contract, or a weaker one
	args *bound.Arguments   // nil before Validate
	key  store.Key          // of a managed call
}

// An agreed call is one for which a person has agreed as far as it is demanded.
// Its claim spends what it was agreed with.
type agreed struct {
	understood

	grant   consent.Grant
	preview previewToken
}

// A journal collects what the audit log gets of a call besides its phases. Any
// stage writes to it.
type journal struct {
	id           string   // the call's in the audit log
	stage        string   // the furthest stage that the call has come to
	reached      int      // its index
	cause        error    // why the call was refused or failed; the caller never gets it
	waived       []string // clauses that the call broke and that are only audited
	notPersisted bool     // the record does not have what happened
	tried        bool     // the tool author's preview was called
	asked        bool     // the call asked a question outside the client
	err          error    // the error of a call that has no result
}

// enter records that the call has come to a stage. Going around the loop again
// does not take it back.
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

// waives reports whether a clause that the call breaks is only audited, and
// records that.
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

// exactArguments names the arguments.
func (u *understood) exactArguments() string { return consent.ArgumentsDigest(u.args.Canonical) }

// agreed returns the phase that a claim is made of.
func (c *call) agreed() agreed { return agreed{c.understood, c.consent.Grant, c.preview} }

// keyOf returns what the call is claimed under: the key of a managed call, else
// the answer that it spends, so that the same answer has one outcome. Zero: the
// call is not recorded.
func (a *agreed) keyOf() store.Key {
	if !a.key.IsZero() {
		return a.key
	}
	return a.grant.Nonce.Key
}

// started returns a copy of the call as it was when its handler started, for
// events that another goroutine writes. It reads only what does not change
// after that.
func (c *call) started() *call {
	s := &call{
		understood: c.understood, failures: c.failures, preview: c.preview, consent: c.consent, claim: c.claim,
		execution: execution{ran: true},
	}
	s.log = &journal{id: c.log.id, waived: slices.Clone(c.log.waived)}
	return s
}

// event fills in what all events of a call have in common.
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
