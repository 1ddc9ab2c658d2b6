package guard

import (
	"context"
	"crypto/rand"
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

	answered     chan struct{} // closed when the terminal event was handed over
	principal    Principal
	principalErr error
	args         *bound.Arguments
	entered      bool  // counted by the guard, which is not closed
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
			c.audit(audit.Terminal, stageRun, c.refuse(contract.CodeInternalError, ""))
		}
	}()
	if c.entered = s.guard.enter(); c.entered {
		defer s.guard.calls.Done()
	}
	result, at := c.walk()
	walked = true
	if c.unknown {
		c.audit(audit.Terminal, stageLookup, nil)
		return nil, ErrUnknownTool
	}
	result = c.settle(result, at)
	result.Outcome.UseName = useName
	result.Outcome.Deprecated = c.entry.doc.Deprecated
	result.Outcome.ContractVersion = c.entry.doc.Version
	result.Outcome.ContentTrust = c.entry.doc.ContentTrust
	result.Outcome.CallID = c.id
	c.audit(audit.Terminal, at, result)
	return result, nil
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
