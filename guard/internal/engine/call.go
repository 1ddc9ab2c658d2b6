package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/dryruns"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/guard/internal/records"
	"github.com/toolcontract/toolcontract/guard/internal/rounds"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/guard/internal/session"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/store"
)

// A call is one request on its way through the pipeline, with what the stages
// have found out, phase by phase. Only this package sees it: the stages' own
// packages get a [facts.View] and whatever else they need from the methods at
// the end of this file.
type call struct {
	*plan // that of the tool

	ctx     context.Context
	engine  *Engine
	set     *Set
	start   time.Time
	request exchange.Request
	journal recorder.Journal

	caller                     // found by Lookup and Admit
	understood                 // found by Validate and Resolve
	failures   access.Failures // found by Budget
	extras     *extras         // found by stages that not all tools have; nil: the tool has none of them
	slot       *running.Slot   // found by Reserve; nil before it
	execution  running.Execution

	answered sync.WaitGroup // waits until the terminal event was handed over
	terminal atomic.Bool    // the terminal event was written
}

// A caller is what is known about who calls.
type caller struct {
	principal *contract.Principal // never nil, and never changed
	unknown   error               // why the principal cannot be found
	missing   []string            // permissions that the call needs and the principal lacks
	charged   bool                // the call was counted against the rate limits
}

// An understood call has valid arguments.
type understood struct {
	doc      *contract.Document // the clauses of this call: the tool's contract, or a weaker resolution
	args     *bound.Arguments   // nil before Validate
	key      store.Key          // zero: the call is not deduplicated
	round    *rounds.Round      // what the handler asked for in the round before; nil: nothing
	approved bool               // a person approved the call, in this round or an earlier one
}

// extras are the results of the stages that ask for something before the
// handler runs, or that record the call. Most calls are of tools without them.
type extras struct {
	preview     store.Nonce        // found by RequireDryRun: what the call spends for its preview
	consent     consent.Session    // found by OpenState, Confirm and StepUp
	openedRound *rounds.Round      // found by OpenState, and not yet validated; nil: none
	claim       records.Claim      // found by Begin
	allowed     *records.Allowed   // found by Replay
	session     *session.Call      // found by Session
	operation   *callctx.Operation // of the handler's context; nil before Reserve
}

// anonymous is the principal of a call before Lookup.
var anonymous contract.Principal

func newCall(s *Set, p *plan, req exchange.Request) *call {
	t := p.tool
	c := &call{
		engine: s.engine, set: s, plan: p, start: time.Now(), request: req,
		journal: recorder.NewJournal(rand.Text(), t.AuditOnly),
	}
	c.principal = &anonymous
	c.doc = &t.Doc
	if p.hasExtras {
		c.extras = &extras{}
	}
	return c
}

// snapshot returns a copy of the call as it was when its handler started, for
// events written on another goroutine. It reads only fields that no longer
// change.
func (c *call) snapshot() *call {
	s := &call{
		ctx: c.ctx, engine: c.engine, set: c.set, plan: c.plan, start: c.start, request: c.request, journal: c.journal.Started(),
		caller: c.caller, understood: c.understood, failures: c.failures,
		execution: running.Execution{Ran: true},
	}
	if c.extras != nil {
		found := *c.extras
		s.extras = &found
	}
	return s
}

// states returns the states that the call carries: that of a question, and that
// of a handler. Nil: none.
func (c *call) states() (*consent.QuestionState, *rounds.Round) {
	if c.extras == nil {
		return nil, nil
	}
	return c.extras.consent.State, c.extras.openedRound
}

func (c *call) isClaimed() bool { return c.extras != nil && c.extras.claim.IsHeld }

// isAtomic reports whether the handler writes in a transaction of the guard.
func (c *call) isAtomic() bool { return c.isClaimed() && c.atomic() != nil }

func (c *call) atomic() *records.Atomic { return c.extras.claim.Atomic }

func (c *call) scope() store.Scope { return c.scopeOf(c.tool) }

// scopeOf returns the scope of the principal's calls of a tool.
func (c *call) scopeOf(t *facts.ProtectedTool) store.Scope {
	p := c.principal
	if t.Plain != nil && p.IsAnonymous() {
		return c.engine.ledger.Scope(anonymousCallers, "", c.request.Caller, t.Identity)
	}
	return c.engine.ledger.Scope(p.Issuer, p.Tenant, p.Subject, t.Identity)
}

// audience names the server that was called.
func (c *call) audience() string { return c.engine.ledger.Audience(c.request.Server) }

// terms returns the resolved clauses, which are not in the contract's digest.
// It is empty if the tool has no resolution.
func (c *call) terms() string {
	if !c.tool.Resolves {
		return ""
	}
	d := c.doc
	return fmt.Sprintf("%s %s %s %s", d.Risk, d.Effect, d.Confirmation, strings.Join(d.Permissions, ","))
}

// header returns what identifies exactly this call, for data that only this
// call may use.
func (c *call) header() consent.StateHeader {
	return consent.HeaderOf(c.view(), c.audience(), c.terms())
}

// view returns the part of the call that every stage may know.
func (c *call) view() facts.View {
	return facts.View{Tool: c.tool, Doc: c.doc, Principal: c.principal, Scope: c.scope(), Args: c.args, Journal: &c.journal}
}

// arrival returns the call for the gate.
func (c *call) arrival() access.Arrival {
	question, _ := c.states()
	return access.Arrival{View: c.view(), State: question, Size: len(c.request.Arguments), Task: c.request.Task}
}

// accessRequest returns the call for the functions that decide about its
// arguments.
func (c *call) accessRequest() access.Request {
	return access.Request{View: c.view(), Missing: c.missing}
}

// failureCount returns the call for its retry budget.
func (c *call) failureCount() access.FailureCount {
	return access.FailureCount{
		View: c.view(), Ledger: c.engine.ledger, Default: c.engine.config.Retries, Raw: c.request.Arguments, Failures: c.failures,
	}
}

// dryRun returns the call for its preview.
func (c *call) dryRun() dryruns.DryRun {
	d := dryruns.DryRun{View: c.view()}
	if c.tool.RequiresDryRun {
		d.Header = c.header()
	}
	return d
}

// entry returns the call for its record, with what it spends. The call spends
// the approval of a person, or that of the round before.
func (c *call) entry() records.CallEntry {
	e := records.CallEntry{View: c.view(), Key: c.key}
	e.Guessed = c.tool.GuessesKey && (!c.tool.TakesClientKey || c.request.IdempotencyKey == nil)
	e.Repeated = (*repeated)(c)
	e.CallID = c.journal.ID()
	if question, _ := c.states(); question != nil {
		e.CallID = question.CallID
	}
	if c.extras != nil {
		e.Grant = c.extras.consent.Grant
		e.Preview = c.extras.preview
		e.Allowed = c.extras.allowed
	}
	if c.round != nil {
		e.Grant = c.engine.rounds.Grant(c.round, c.scope())
	}
	return e
}
