package guard

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
)

// A call is one request on its way through the stages.
type call struct {
	ctx   context.Context
	set   *Toolset
	entry *entry
	req   Request
	id    string
	start time.Time

	answered chan struct{} // closed when the terminal event was handed over
	terminal atomic.Bool   // the terminal event has been written

	cancel       context.CancelCauseFunc // ends the handler's context
	principal    Principal
	principalErr error
	args         *bound.Arguments
	unknown      bool  // answer as a name that does not exist
	ran          bool  // the handler was started
	out          any   // what the handler returned
	err          error // what the handler returned
	cause        error // why the call was refused or failed; for the audit log alone
}

// Call runs one request through the pipeline. The error is [ErrUnknownTool] or
// nil; every other way to fail is a [Result]. Whatever happens, at most one
// terminal event of the call reaches the audit log.
func (s *Toolset) Call(ctx context.Context, req Request) (*Result, error) {
	c := &call{ctx: ctx, set: s, req: req, id: rand.Text(), start: time.Now(), answered: make(chan struct{})}
	if s.guard.enter() {
		defer s.guard.calls.Done()
	}
	defer close(c.answered)
	var useName string
	c.entry = s.byName[req.Tool]
	if c.entry == nil {
		if c.entry = s.byAlias[req.Tool]; c.entry == nil {
			s.Refused(ctx, Refusal{Tool: req.Tool, Code: CodeUnknownTool})
			return nil, ErrUnknownTool
		}
		useName = c.entry.doc.Name
	}
	walked := false
	defer func() {
		if !walked { // the handler ended the goroutine
			c.cause = errGoexit
			c.end(stageRun, c.refuse(contract.CodeInternalError, ""))
		}
	}()
	result, at := c.walk()
	walked = true
	if c.unknown {
		c.end(stageLookup, nil)
		return nil, ErrUnknownTool
	}
	result = c.settle(result, at)
	result.Outcome.UseName = useName
	result.Outcome.Deprecated = c.entry.doc.Deprecated
	result.Outcome.ContractVersion = c.entry.doc.Version
	result.Outcome.ContentTrust = c.entry.doc.ContentTrust
	result.Outcome.CallID = c.id
	c.end(at, result)
	return result, nil
}

// end writes the terminal event, or a late one where the guard closed while
// the handler was running and has written it.
func (c *call) end(at string, result *Result) {
	kind := audit.Terminal
	if !c.terminal.CompareAndSwap(false, true) {
		kind = audit.Late
	}
	if at == stageCheckResult && !contract.IsSuccess(c.err) {
		at = stageRun // the result was never checked
	}
	c.audit(kind, at, result)
}

// walk goes through the stages until one answers, and says which.
func (c *call) walk() (result *Result, at string) {
	for _, s := range c.entry.stages {
		if r := s.run(c); r != nil {
			return r, s.name
		}
	}
	// CheckResult always answers; without it nothing may leave.
	return c.refuse(contract.CodeInternalError, ""), stageCheckResult
}
