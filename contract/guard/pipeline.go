package guard

import (
	"context"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/internal/panics"
	"github.com/toolcontract/toolcontract/risk"
)

// The names of the stages, as the audit log has them.
const (
	stageAudit        = "audit"
	stageComplete     = "complete"
	stageLookup       = "lookup"
	stageOpenState    = "openstate"
	stageAuthenticate = "authenticate"
	stageAdmit        = "admit"
	stageValidate     = "validate"
	stageResolve      = "resolve"
	stageAuthorize    = "authorize"
	stageBudget       = "budget"
	stagePreview      = "preview"
	stageReplay       = "replay"
	stageRequire      = "requiredryrun"
	stageConfirm      = consent.StageConfirm
	stageStepUp       = consent.StageStepUp
	stageIntent       = "intent"
	stageReserve      = "reserve"
	stageBegin        = "begin"
	stageSpend        = "spenddryrun"
	stageMark         = "mark"
	stageRun          = "run"
	stageCheckResult  = "checkresult"

	// stageResolveUnknown is outside the pipeline: an operator calls it.
	stageResolveUnknown = "resolveunknown"
)

// A stage is one step of the pipeline.
type stage struct {
	name string
	// enforces lists the clauses that the stage enforces, by their names in the
	// document.
	enforces []string
	// when reports whether a tool needs the stage. Nil: every tool does.
	when func(*Guard, *protectedTool) bool
	// run passes the stage the phases that it needs, and stores its results.
	// Without an answer the next stage runs. Nil: the stage does nothing on the
	// way in.
	run func(*call) *answer
	// after runs the stage's part on the way out, with the result of the call.
	// The result is nil if the call has an error instead, such as an unknown
	// tool. Nil: the stage does nothing on the way out.
	after func(*call, *Result) *Result
	// The loop restarts at the tool's first stage that restarts, if another
	// call has spent the grant.
	restarts bool
	// A failure counts against the retry budget if the call has reached a stage
	// that counts.
	counts bool
	// extras means that run or after uses the extras of the call.
	extras bool
	// needsReturn means that after does not run if the handler ended the
	// goroutine of the call.
	needsReturn bool
}

// stages returns the pipeline, in order. No other code orders the stages:
// [Guard.Protect] picks those that a tool needs, and doc.go explains them.
//
// The order matters. Callers without permission learn nothing about a tool,
// because permissions come before validation. Nothing runs, and no person is
// asked, before the arguments are valid. A call that was made before is not
// asked about again. No person authenticates for a call that they will decline.
// The intent is on record before anything happens.
//
// A call that no person is asked about is claimed last, after its intent, and
// the claim also marks it as started. A call that a person may have agreed to
// is claimed before its intent, because only the claim shows whether this is
// the call that the person agreed to. The intent then has the right call id.
// Mark records separately that the call starts.
func stages() []stage {
	return []stage{
		{name: stageAudit, enforces: []string{"auditEvent"}, after: (*call).writeEnd},
		{name: stageComplete, extras: true, enforces: []string{"idempotency"}, when: claims, after: (*call).recordEnd},
		{name: stageLookup, enforces: []string{"risk"}, run: func(c *call) (a *answer) {
			c.identified, a = lookup(c.arrival)
			return a
		}},
		{name: stageOpenState, extras: true, enforces: []string{"confirmation", "stepUp"}, when: takesState, run: func(c *call) (a *answer) {
			c.extras.consent.State, c.extras.carried, a = openState(c.arrival)
			return a
		}, after: (*call).keepAnswers},
		{name: stageAuthenticate, enforces: []string{"securityLevel", "permissions"}, run: func(c *call) *answer {
			return authenticate(c.identified)
		}},
		{name: stageAdmit, enforces: []string{"permissions", "discoverWith", "rateLimit", "totalRateLimit", "maxArgumentBytes"}, run: func(c *call) (a *answer) {
			state, _ := c.carried()
			c.identified, a = admit(c.identified, state)
			return a
		}},
		{name: stageValidate, counts: true, enforces: []string{"inputSchema", "lenient", "idempotency"}, run: func(c *call) (a *answer) {
			state, round := c.carried()
			c.understood, a = validate(c.identified, state, round)
			return a
		}},
		{name: stageResolve, enforces: []string{"effect", "risk", "confirmation", "permissions"}, when: resolves, run: func(c *call) (a *answer) {
			c.understood, a = resolve(c.understood)
			return a
		}},
		{name: stageAuthorize, enforces: []string{"permissions", "objectAuthorization"}, when: authorizes, run: func(c *call) (a *answer) {
			c.missing, a = authorize(c.understood)
			return a
		}},
		{name: stageBudget, enforces: []string{"retryBudget"}, needsReturn: true, run: func(c *call) (a *answer) {
			c.failures, a = checkBudget(c.understood)
			return a
		}, after: (*call).countEnd},
		{name: stagePreview, enforces: []string{"dryRun"}, when: hasPreview, run: func(c *call) *answer {
			return preview(c.understood)
		}},
		{name: stageReplay, enforces: []string{"idempotency"}, when: looksUpFirst, run: func(c *call) *answer {
			return replay(c.agreed())
		}},
		{name: stageRequire, extras: true, enforces: []string{"dryRun"}, when: requiresDryRun, run: func(c *call) (a *answer) {
			c.extras.preview, a = requireDryRun(c.understood)
			return a
		}},
		{name: stageConfirm, restarts: true, extras: true, enforces: []string{"confirmation", "typedConfirmation", "securityLevel"}, when: asks, run: func(c *call) (a *answer) {
			c.extras.consent, a = confirm(c.agreed(), c.extras.consent)
			c.approved = c.approved || c.extras.consent.Approved()
			return a
		}},
		{name: stageStepUp, restarts: true, extras: true, enforces: []string{"stepUp", "securityLevel"}, when: demandsStepUp, run: func(c *call) (a *answer) {
			c.extras.consent, a = stepUp(c.agreed(), c.extras.consent)
			return a
		}},
		{name: stageAuthorize, extras: true, enforces: []string{"permissions", "objectAuthorization"}, when: authorizesAgain, run: func(c *call) (a *answer) {
			if c.extras.consent.Waited() {
				c.missing, a = authorize(c.understood)
			}
			return a
		}},
		{name: stageIntent, enforces: []string{"risk"}, when: intendsBeforeClaim, run: (*call).intend},
		{name: stageReserve, restarts: true, enforces: []string{"maxConcurrent", "cancellable", "effect"}, run: func(c *call) (a *answer) {
			c.slot, a = reserve(c.understood)
			return a
		}},
		{name: stageBegin, extras: true, enforces: []string{"idempotency", "confirmation", "stepUp", "retryBudget"}, when: claims, run: func(c *call) (a *answer) {
			if c.extras.claim, a = begin(c.agreed(), c.failures); c.extras.claim.callID != "" {
				c.log.id = c.extras.claim.callID
			}
			return a
		}},
		{name: stageIntent, enforces: []string{"risk"}, when: intendsAfterClaim, run: (*call).intend},
		{name: stageSpend, extras: true, enforces: []string{"dryRun"}, when: requiresDryRun, run: func(c *call) *answer {
			return spendDryRun(c.agreed(), c.extras.claim)
		}},
		{name: stageMark, extras: true, enforces: []string{"idempotency"}, when: asksPeople, run: func(c *call) *answer {
			return mark(c.agreed(), c.extras.claim)
		}},
		{name: stageRun, enforces: []string{"timeoutMs"}, run: func(c *call) (a *answer) {
			c.execution.ran = true // also runs if the handler ends the goroutine
			c.execution, a = run(c.understood, c.slot, c)
			return a
		}},
		{name: stageCheckResult, enforces: []string{"outputSchema", "maxResultBytes", "contentTrust", "delimit", "failureModes"}, run: func(c *call) *answer {
			return checkResult(c.understood, c.execution)
		}},
	}
}

// Which tools need a stage.

// asksPeople reports whether a call may be one round of several: a question
// about it was asked in an earlier one.
func asksPeople(g *Guard, t *protectedTool) bool { return asks(g, t) || g.stepsUp(t) }

// takesState reports whether a call may carry a state: that of a question, or
// that of the handler.
func takesState(g *Guard, t *protectedTool) bool { return asksPeople(g, t) || asksForInput(t) }

func asks(_ *Guard, t *protectedTool) bool {
	return t.doc.Confirmation != contract.ConfirmationNever
}

func demandsStepUp(_ *Guard, t *protectedTool) bool { return t.doc.StepUp != nil }

func authorizes(g *Guard, t *protectedTool) bool {
	return g.authorizer != nil || t.doc.ObjectAuthorization || hasPreview(g, t) || resolves(g, t)
}

// authorizesAgain reports whether a call may wait for a person after it was
// authorized. The person may need minutes.
func authorizesAgain(g *Guard, t *protectedTool) bool { return authorizes(g, t) && asksPeople(g, t) }

func claims(g *Guard, t *protectedTool) bool { return takesState(g, t) || t.isDeduplicated() }

// looksUpFirst reports whether a call with a key is looked up before a person
// or a preview is needed for it.
func looksUpFirst(g *Guard, t *protectedTool) bool {
	return t.isDeduplicated() && (asks(g, t) || demandsStepUp(g, t) || requiresDryRun(g, t))
}

func intendsBeforeClaim(g *Guard, t *protectedTool) bool {
	return needsAudit(g, t) && !asksPeople(g, t)
}

func intendsAfterClaim(g *Guard, t *protectedTool) bool { return needsAudit(g, t) && asksPeople(g, t) }

// needsAudit reports whether a call may not run while the audit log cannot be
// written.
func needsAudit(g *Guard, t *protectedTool) bool {
	return t.writesIntent() || t.doc.Risk.AtLeast(g.audit.requiredFrom)
}

// choose picks the stages of one tool, once.
func (g *Guard) choose(t *protectedTool) []stage {
	chosen := make([]stage, 0, len(g.pipeline))
	for _, s := range g.pipeline {
		if s.when == nil || s.when(g, t) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

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
	defer func() { c.guard.reportPanic(c.ctx, err) }()
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

// carried returns the states that the call carries: that of a question, and
// that of a handler. Nil: none.
func (c *call) carried() (*consent.State, *handlerRound) {
	if c.extras == nil {
		return nil, nil
	}
	return c.extras.consent.State, c.extras.carried
}

// countEnd counts a failure of the call, or resets the count after a success.
func (c *call) countEnd(result *Result) *Result {
	if result == nil || !c.log.counted {
		return result
	}
	return countFailure(c.understood, c.failures, c.isClaimed(), c.execution.ran, result)
}

// keepAnswers keeps the answers of a person that were given while the call
// waited, if the call never began and can be repeated.
func (c *call) keepAnswers(result *Result) *Result {
	if result != nil && !c.execution.ran && result.Outcome.Class == contract.ClassRetryable {
		c.guard.desk.Keep(c.extras.consent)
	}
	return result
}

// recordEnd records how a claimed call ended.
func (c *call) recordEnd(result *Result) *Result {
	if result != nil && c.isClaimed() {
		complete(c.agreed(), c.extras.claim, c.execution, c.failures, result)
	}
	return result
}

// writeEnd writes the terminal event, or a late one if the guard closed while
// the handler was running and has written it.
func (c *call) writeEnd(result *Result) *Result {
	agreed, stage := c.agreed(), c.log.stage
	if c.log.asked || result != nil && result.Outcome.Status == contract.StatusAsked {
		agreed.auditAsked(stage, c.execution.ran)
		return result
	}
	kind := audit.Terminal
	if !c.terminal.CompareAndSwap(false, true) {
		kind = audit.Late
	}
	agreed.audit(kind, stage, c.execution.ran, result)
	return result
}

// endLate records how a handler ended after its caller had been answered.
func (c *call) endLate(out any, err error) {
	c.answered.Wait()
	late := c.started()
	late.execution.out, late.execution.err, late.execution.late = out, err, true
	result := late.netted(func() *answer { return checkResult(late.understood, late.execution) })
	late.recordEnd(result)
	agreed := late.agreed()
	agreed.audit(audit.Late, stageRun, late.execution.ran, result)
}

// abandon writes the terminal event of a call whose handler is still running on
// its caller's goroutine while the guard closes.
func (c *call) abandon() {
	if !c.terminal.CompareAndSwap(false, true) {
		return
	}
	given := c.started()
	given.log.cause = errGivenUp
	result := given.resultOf(givenUp(given.understood))
	agreed := given.agreed()
	agreed.audit(audit.Terminal, stageRun, given.execution.ran, result)
}

// intend writes the intent of a call from high risk up durably to the audit
// log. It refuses other calls that need the audit log while it cannot be
// written.
func (c *call) intend() *answer {
	if c.doc.Risk.AtLeast(risk.High) {
		return writeIntent(c.agreed())
	}
	return requireAudit(c.understood)
}
