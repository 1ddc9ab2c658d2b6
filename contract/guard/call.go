package guard

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/store"
)

// A call is one request on its way through the stages.
type call struct {
	ctx   context.Context
	set   *Toolset
	entry *entry
	doc   *contract.Document // what holds for this call: the entry's, or milder
	req   Request
	id    string
	start time.Time

	answered chan struct{} // closed when the terminal event was handed over
	terminal atomic.Bool   // the terminal event has been written

	principal    Principal
	principalErr error
	args         *bound.Arguments
	at           string                  // the stage that the call has come to
	unknown      bool                    // answer as a name that does not exist
	rejected     bool                    // answer with the one error for states that are not its own
	reserved     bool                    // a place to run was taken and not given back
	isolated     bool                    // the handler gets a goroutine of its own
	runCtx       context.Context         // the handler's, but for its time limit
	cancel       context.CancelCauseFunc // ends runCtx
	ran          bool                    // the handler was started
	abandoned    bool                    // the call was answered while the handler is running
	out          any                     // what the handler returned
	err          error                   // what the handler returned
	cause        error                   // why the call was refused or failed; for the audit log alone

	state        *questionState  // of the question that this call answers
	continues    bool            // this call is the one that the question was about
	confirmed    bool            // a person has agreed to it, in this round or before
	progressed   bool            // this round brought something that the one before had not
	charged      bool            // this round was counted against the rate limits
	waived       []string        // clauses that the call broke and that are only watched
	nonce        store.Nonce     // of the question that a person said yes to
	questionID   string          // the call id of that question
	approved     *storedQuestion // that question, where it was put outside the client
	askedOutside bool            // this call put one
	dryNonce     store.Nonce     // of the preview that the call follows
	drySpent     bool            // dryNonce is used up
	tried        bool            // the author's preview was called
	missing      []string        // permissions that the caller lacks; a dry run names them
	key          store.Key       // of a managed call, or of an answered question
	fingerprint  store.Digest
	owner        store.Owner
	claimed      bool // the record is this call's
	renewal      *renewal
	notPersisted bool      // the record does not say what happened
	failures     store.Key // what failures of this call are counted under; zero until it is needed
	failedBefore bool      // some had been counted when this call looked
}

// Call runs one request through the pipeline. The error is [ErrUnknownTool],
// [ErrRejectedState] or nil; every other way to fail is a [Result]. Whatever happens, at most one
// terminal event of the call reaches the audit log.
func (s *Toolset) Call(ctx context.Context, req Request) (*Result, error) {
	c := &call{ctx: ctx, set: s, req: req, id: rand.Text(), start: time.Now(), answered: make(chan struct{})}
	if s.guard.enter() {
		defer s.guard.calls.Done()
	}
	defer close(c.answered)
	defer c.unreserve()
	var useName string
	c.entry = s.byName[req.Tool]
	if c.entry == nil {
		if c.entry = s.byAlias[req.Tool]; c.entry == nil {
			s.Refused(ctx, Refusal{Tool: req.Tool, Code: CodeUnknownTool})
			return nil, ErrUnknownTool
		}
		useName = c.entry.doc.Name
	}
	c.doc = &c.entry.doc
	walked := false
	defer func() {
		if !walked { // the handler ended the goroutine
			c.cause = contain.ErrGoexit
			result := c.refuse(contract.CodeInternalError, "")
			c.record(result)
			c.end(result)
		}
	}()
	result := c.walk()
	walked = true
	if c.unknown {
		c.end(nil)
		return nil, ErrUnknownTool
	}
	if c.rejected {
		c.end(nil)
		return nil, ErrRejectedState
	}
	result = c.settle(result) // before the key is free again for a call that would not know
	c.record(result)
	result.Outcome.KeyIgnored = req.IdempotencyKey != nil && !takesClientKey(c.entry)
	result.Outcome.UseName = useName
	result.Outcome.Deprecated = c.entry.doc.Deprecated
	result.Outcome.ContractVersion = c.entry.doc.Version
	result.Outcome.ContentTrust = c.entry.doc.ContentTrust
	result.Outcome.CallID = c.id
	c.end(result)
	return result, nil
}

// record completes a managed call.
func (c *call) record(result *Result) {
	if !c.set.guard.skipped[stageComplete] {
		c.complete(result)
	}
}

// end writes the terminal event, or a late one where the guard closed while
// the handler was running and has written it.
func (c *call) end(result *Result) {
	if c.askedOutside { // the caller is told to repeat it; the call itself waits
		result = &Result{Outcome: contract.Outcome{Status: contract.StatusAsked}}
	}
	if result != nil && result.Outcome.Status == contract.StatusAsked {
		c.audit(audit.Asked, c.at, result)
		return
	}
	kind := audit.Terminal
	if !c.terminal.CompareAndSwap(false, true) {
		kind = audit.Late
	}
	at := c.at
	if at == stageCheckResult && c.err != nil {
		at = stageRun // the result was never checked
	}
	c.audit(kind, at, result)
}

// walk goes through the stages until one answers: on a goroutine of its own
// where the transport cannot do without the one it called from.
func (c *call) walk() *Result {
	if !c.req.Isolate {
		return c.netted((*call).stages)
	}
	var result *Result
	done := make(chan struct{})
	go func() {
		defer close(done)
		result = c.netted((*call).stages)
	}()
	<-done
	if result == nil { // a method of the author's types ended the goroutine
		c.cause = contain.ErrGoexit
		return c.refuse(contract.CodeInternalError, "")
	}
	return result
}

func (c *call) stages() *Result {
	for _, s := range c.entry.stages {
		c.at = s.name
		if r := s.run(c); r != nil {
			return r
		}
	}
	// CheckResult always answers; without it nothing may leave.
	return c.refuse(contract.CodeInternalError, "")
}

// netted is the last net under a part of the pipeline: functions of the
// author's are contained one by one.
func (c *call) netted(part func(*call) *Result) (r *Result) {
	defer func() {
		if v := recover(); v != nil {
			c.cause = &contain.PanicError{Value: v}
			r = c.refuse(contract.CodeInternalError, "")
		}
	}()
	return part(c)
}
