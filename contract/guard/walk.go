package guard

import (
	"context"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/internal/panics"
)

// Call runs one request through the pipeline. The error is [ErrUnknownTool],
// [ErrRejectedState], [ErrNoServer] or nil; every other failure is a [Result].
// At most one terminal event of the call reaches the audit log.
func (s *Toolset) Call(ctx context.Context, req Request) (*Result, error) {
	g := s.guard
	if g.namesServer && req.Server == "" {
		return nil, ErrNoServer
	}
	if g.enter() {
		defer g.calls.Done()
	}
	t, useName := s.byName[req.Tool], ""
	if t == nil {
		if t = s.byAlias[req.Tool]; t == nil {
			s.refused(ctx, req.Tool, codeUnknownTool)
			return nil, ErrUnknownTool
		}
		useName = t.doc.Name
	}
	c := newCall(g, t, req)
	ctx, answered := g.observe(ctx, t)
	defer answered()
	c.ctx = ctx
	c.answered.Add(1)
	defer c.answered.Done()
	defer func() { c.slot.giveBack() }()
	walked := false
	defer func() {
		if !walked { // the handler ended the goroutine
			c.leave(c.resultOf(c.broken(contain.ErrGoexit)), false)
		}
	}()
	result := c.walk()
	walked = true
	if result = c.leave(result, true); c.log.err != nil {
		return nil, c.log.err
	}
	result.Outcome.KeyIgnored = req.IdempotencyKey != nil && !c.tool.takesClientKey()
	result.Outcome.Readings, result.Outcome.MoreReadings = readings(c.args)
	result.Outcome.UseName = useName
	result.Outcome.Deprecated = c.tool.doc.Deprecated
	result.Outcome.ContractVersion = c.tool.doc.Version
	result.Outcome.ContentTrust = c.tool.doc.ContentTrust
	result.Outcome.Reads = c.tool.reads
	result.Outcome.CallID = c.log.id
	if g.ifcLabels {
		result.Meta = withIFC(result.Meta, c.tool.ifc)
	}
	return result, nil
}

// walk goes through the stages until one answers. It uses another goroutine if
// the transport must not lose the goroutine of its call, and a function of an
// author that is not contained may end it. The result is nil if the call has an
// error instead.
func (c *call) walk() *Result {
	if !c.req.Isolate || !c.tool.endsGoroutines {
		return c.netted(c.loop)
	}
	var result *Result
	if err := c.guard.workers.Do(func() { result = c.netted(c.loop) }); err != nil {
		return c.resultOf(c.broken(err)) // a method of the tool author's types ended the goroutine
	}
	return result
}

// loop is the only loop over the stages. If another call has spent the grant,
// the loop runs once more: the person approved that call, so a person must also
// approve this one. Meanwhile the call returns its concurrency slot.
func (c *call) loop() *answer {
	for i := 0; i < len(c.tool.stages); i++ {
		s := &c.tool.stages[i]
		if s.run == nil {
			continue
		}
		c.log.enter(i, s)
		a := s.run(c)
		switch {
		case a == nil:
		case a.again:
			c.slot.giveBack()
			c.slot, c.extras.consent = nil, c.extras.consent.Again()
			i = slices.IndexFunc(c.tool.stages, func(s stage) bool { return s.restarts }) - 1
		default:
			return a
		}
	}
	// CheckResult always answers, so no result reaches a caller unchecked.
	return refuse(refusal.New(contract.CodeInternalError, ""))
}

// leave does the stages' part on the way out, from the last stage to the first.
// returned means that the handler did not end the goroutine of the call.
func (c *call) leave(result *Result, returned bool) *Result {
	for _, s := range slices.Backward(c.tool.stages) {
		if s.after != nil && (returned || !s.needsReturn) {
			result = s.after(c, result)
		}
	}
	return result
}

// netted recovers from a panic in a part of the pipeline. It is the last
// resort, because each function of an author is also contained by itself.
func (c *call) netted(part func() *answer) (result *Result) {
	var err error
	defer func() {
		if err != nil {
			result = c.resultOf(c.broken(err))
		}
	}()
	defer func() {
		if err != nil { // the context does not name the call if Lookup panicked
			c.guard.reportPanic(withLogged(c.ctx, logged{c.tool, c.log.id, c.args}), err)
		}
	}()
	defer panics.Recover(&err)
	return c.resultOf(part())
}

// broken answers for a call that a panic or the end of its goroutine broke off.
func (c *call) broken(err error) *answer {
	a := refuse(refusal.New(contract.CodeInternalError, "").Because(err))
	if c.execution.ran {
		a.effects = effectsOf(c.doc, mayHaveHappened)
	}
	return a
}

// resultOf turns an answer into a result. It returns nil if the call has an
// error instead.
func (c *call) resultOf(a *answer) *Result {
	r := c.answerOf(a)
	if r != nil && a.effects != "" {
		r.Text += "\n" + a.effects
	}
	return r
}

// answerOf turns an answer into a result without the line about effects.
func (c *call) answerOf(a *answer) *Result {
	log := c.log
	if a.stage != "" {
		log.stage = a.stage
	}
	if a.callID != "" {
		log.id = a.callID
	}
	log.asked, log.err = a.asked, a.err
	switch {
	case a.refusal != nil:
		r := a.refusal
		if r.Cause != nil {
			log.cause = r.Cause
		}
		if agreed := c.agreed(); r.UnlessFinished {
			if recorded := agreed.recorded(); recorded != nil {
				return replayed(agreed, *recorded)
			}
		}
		if r.Failure != nil {
			return c.tool.declaredFailure(r.Failure)
		}
		return c.tool.refused(r)
	case a.recorded != nil:
		return replayed(c.agreed(), *a.recorded)
	}
	return a.result
}
