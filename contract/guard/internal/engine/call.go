package engine

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/contract/store"
)

// A call is one request on its way through the pipeline. It holds the results
// of the stages, phase by phase. Only this file, pipeline.go and walk.go see
// it. A stage gets the phases that it needs, as values, and returns its own
// results.
type call struct {
	understood // with the phases before it: identified and arrival

	request exchange.Request
	journal recorder.Journal

	failures  failures          // found by Budget
	extras    *extras           // found by stages that not all tools have; nil: the tool has none of them
	slot      *running.Slot     // found by Reserve; nil before it
	execution running.Execution // found by Run

	answered sync.WaitGroup // waits until the terminal event was handed over
	terminal atomic.Bool    // the terminal event was written
}

// extras are the results of the stages that ask for something before the
// handler runs, or that record the call. Most calls are of tools without them.
type extras struct {
	preview previewToken    // found by RequireDryRun
	consent consent.Session // found by OpenState, Confirm and StepUp
	carried *handlerRound   // found by OpenState, and not yet validated; nil: none
	claim   claim           // found by Begin
}

// anonymous is the principal of a call before Lookup.
var anonymous contract.Principal

// newCall returns the call of a tool.
func newCall(g *Engine, t *Tool, req exchange.Request) *call {
	c := &call{request: req, journal: recorder.NewJournal(rand.Text())}
	c.arrival = arrival{engine: g, tool: t, req: &c.request, start: time.Now(), log: &c.journal}
	c.principal = &anonymous
	c.doc = &t.Doc
	if t.hasExtras {
		c.extras = &extras{}
	}
	return c
}

// An arrival holds the facts that are known when a call comes in.
type arrival struct {
	ctx    context.Context
	engine *Engine
	tool   *Tool
	req    *exchange.Request
	start  time.Time
	log    *recorder.Journal
}

// An identified call has a principal. Lookup and Admit set its fields.
type identified struct {
	arrival

	principal *contract.Principal // never nil, and never changed
	unknown   error               // why the principal cannot be found
	missing   []string            // permissions that the call needs and the principal lacks
	charged   bool                // the call was counted against the rate limits
}

// An understood call has valid arguments. Validate and Resolve set its fields.
type understood struct {
	identified

	doc  *contract.Document // the clauses of this call: the tool's contract, or a weaker resolution
	args *bound.Arguments   // nil before Validate
	key  store.Key          // zero: the call is not deduplicated

	round    *handlerRound // by Validate: what the handler asked for in the round before; nil: nothing
	approved bool          // a person approved the call, in this round or an earlier one
}

// An agreed call has every approval and preview that its contract demands. Its
// claim spends them.
type agreed struct {
	understood

	grant   consent.Grant
	preview previewToken
}

// scope is the scope of the keys of this call.
func (who *identified) scope() store.Scope {
	p := who.principal
	return who.engine.ledger.Scope(p.Issuer, p.Tenant, p.Subject, who.tool.Doc.Name)
}

func (who *identified) principalDigest() string { return consent.PrincipalDigest(who.scope()) }

// audience names the server that was called.
func (in *arrival) audience() string {
	return in.engine.ledger.Audience(in.req.Server)
}

// exactArguments returns a digest that identifies the arguments.
func (u *understood) exactArguments() string { return consent.ArgumentsDigest(u.args.Canonical) }

// agreed returns the agreed phase of the call.
func (c *call) agreed() agreed {
	a := agreed{understood: c.understood}
	if c.extras != nil {
		a.grant, a.preview = c.extras.consent.Grant, c.extras.preview
	}
	if c.round != nil {
		a.grant = c.round.grant(c.understood)
	}
	return a
}

// isClaimed reports whether Begin has claimed the call.
func (c *call) isClaimed() bool { return c.extras != nil && c.extras.claim.held }

// keyOf returns the key under which the call is claimed: the key that
// deduplicates it, else the nonce of the answer that it spends, so that one
// answer has one outcome. Zero: the call is not recorded.
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
		understood: c.understood, failures: c.failures,
		execution: running.Execution{Ran: true},
		journal:   c.log.Started(),
	}
	if c.extras != nil {
		found := *c.extras
		s.extras = &found
	}
	s.log = &s.journal
	return s
}
