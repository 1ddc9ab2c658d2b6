package engine

import (
	"errors"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// answer takes the call through its stages, in and out. The error is that of a
// call without a result.
func (c *call) answer() (*exchange.Result, error) {
	c.answered.Add(1)
	defer c.answered.Done()
	defer func() { c.slot.GiveBack() }()
	walked := false
	defer func() {
		if !walked { // the handler ended the goroutine
			c.leave(c.resultOf(c.endBroken(contain.ErrGoexit)))
		}
	}()
	result := c.walk()
	walked = true
	result = c.leave(result)
	return result, c.journal.Err()
}

// finish sets the parts of an outcome that do not depend on how the call ended.
// It runs after the way out, because a call's record holds only what the stages
// set.
func (c *call) finish(useName string, result *exchange.Result) {
	o, d := &result.Outcome, &c.tool.Doc
	o.KeyIgnored = c.request.IdempotencyKey != nil && !c.tool.TakesClientKey
	o.NoEffect = o.Status == contract.StatusError && c.endedBeforeHandler(o.Code)
	o.Readings, o.MoreReadings = readings(c.args)
	c.noteMisfits(o)
	o.UseName = useName
	o.Deprecated = d.Deprecated
	o.ContractVersion = d.Version
	o.ContentTrust = d.ContentTrust
	o.Reads = c.tool.Reads
	o.CallID = c.journal.ID()
	if c.label != nil {
		result.Meta = c.label(result.Meta)
	}
}

// endedBeforeHandler reports whether a write failed before its handler ran, in
// a way that the code doesn't show. In a later round, the handler has run
// before.
func (c *call) endedBeforeHandler(code string) bool {
	if c.execution.Ran || c.round != nil || c.tool.Doc.Effect == risk.ReadOnly {
		return false
	}
	return c.tool.Declares(code) || code == contract.CodeInternalError || code == contract.CodeTimeout
}

// walk goes through the stages until one answers. It moves to another goroutine
// when an uncontained author function could end the transport's. The result is
// nil if the call has an error instead.
func (c *call) walk() *exchange.Result {
	if !c.request.Isolate || !c.endsGoroutines {
		return c.runContained((*call).loop)
	}
	var result *exchange.Result
	if err := contain.Do(func() { result = c.runContained((*call).loop) }); err != nil {
		return c.resultOf(c.endBroken(err)) // a method of the tool author's types ended the goroutine
	}
	return result
}

// loop is the only loop over the stages. If another call has spent the grant,
// it runs once more: the person approved that call, so a person must approve
// this one too. The call returns its concurrency slot first.
func (c *call) loop() *answer.Ending {
	for i := 0; i < len(c.stages); i++ {
		s := &c.stages[i]
		if s.run == nil {
			continue
		}
		c.journal.Enter(i, s.Name, s.counts)
		a := s.run(c)
		if s.waits && c.extras.consent.Waited() {
			if ended := c.admitAgain(); ended != nil {
				a = ended
			}
		}
		switch {
		case a == nil:
		case a.Again:
			c.slot.GiveBack()
			c.slot = nil
			c.extras.consent = c.extras.consent.Again()
			i = slices.IndexFunc(c.stages, func(s Stage) bool { return s.restarts }) - 1
		default:
			return a
		}
	}
	// CheckResult always answers, so no result reaches a caller unchecked.
	return answer.Refuse(answer.NewRefusal(contract.CodeInternalError, ""))
}

// leave runs the way out of every stage, from the last to the first.
func (c *call) leave(result *exchange.Result) *exchange.Result {
	for _, s := range slices.Backward(c.stages) {
		if s.after != nil {
			result = s.after(c, result)
		}
	}
	return result
}

// runContained recovers a panic anywhere in the pipeline. Author callbacks are
// contained one by one; this is the last resort.
func (c *call) runContained(part func(*call) *answer.Ending) (result *exchange.Result) {
	var err error
	defer func() {
		if err != nil {
			result = c.resultOf(c.endBroken(err))
		}
	}()
	defer func() {
		if err != nil { // the context does not name the call if Lookup panicked
			c.engine.lines.ReportPanic(callctx.With(c.ctx, callctx.Values{Tool: c.tool, ID: c.journal.ID(), Args: c.args}), err)
		}
	}()
	defer contain.Recover(&err)
	return c.resultOf(part(c))
}

// endBroken answers a call cut short by a panic or by the end of its goroutine.
func (c *call) endBroken(err error) *answer.Ending {
	a := answer.Refuse(answer.NewRefusal(contract.CodeInternalError, "").Because(err))
	if c.execution.Ran {
		a.Effects = results.MayHaveHappened(c.doc)
	}
	return a
}

// resultOf turns an answer into a result. It returns nil if the call has an
// error instead.
func (c *call) resultOf(a *answer.Ending) *exchange.Result {
	r := c.answerOf(a)
	if r == nil {
		return nil
	}
	if a.Effects != "" {
		r.Text += "\n" + a.Effects
	}
	c.name(r, a.OperationID)
	return r
}

// answerOf turns an answer into a result without the line about effects.
func (c *call) answerOf(a *answer.Ending) *exchange.Result {
	c.journal.End(a.Stage, a.CallID, a.Asked, a.Err)
	switch r := a.Refusal; {
	case r == nil && a.Recorded == nil:
		return a.Result
	case r == nil:
		return c.replayResult(*a.Recorded)
	default:
		return c.refusalResult(r)
	}
}

// replayResult returns the outcome of an earlier call. If there is none to
// replay, the logs say why.
func (c *call) replayResult(recorded store.ClaimResult) *exchange.Result {
	e := c.entry()
	result, lost := c.engine.records.Result(c.ctx, &e, recorded)
	if lost != nil {
		c.journal.Blame(lost)
		c.engine.lines.WarnUnanswered(c.ctx, contract.CodeAlreadyDone, string(lost.Why), lost)
	}
	return result
}

// refusalResult turns a refusal into a result. If an identical call runs or has
// an outcome, that is the answer instead.
func (c *call) refusalResult(r *answer.Refusal) *exchange.Result {
	c.journal.Blame(r.Cause)
	if r.UnlessRepeated {
		e := c.entry()
		if a := c.engine.records.Repeated(c.ctx, &e); a != nil {
			return c.resultOf(a)
		}
	}
	if r.Code == contract.CodeUnavailable && r.Message != answer.Closing().Message ||
		r.Code == contract.CodeOutcomeUnknown && r.Cause != nil ||
		errors.Is(r.Cause, store.ErrEnded) || errors.Is(r.Cause, store.ErrInvalid) {
		c.engine.lines.WarnUnanswered(c.ctx, r.Code, r.Message, r.Cause)
	}
	if r.Failure != nil {
		v := c.view()
		return results.DeclaredFailure(&v, r.Failure)
	}
	return results.Refused(c.tool, r)
}
