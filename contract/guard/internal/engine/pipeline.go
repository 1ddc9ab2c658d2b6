package engine

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// A Stage is one step of the pipeline.
type Stage struct {
	Name string
	// Enforces lists the clauses that the stage enforces, by their names in the
	// document.
	Enforces []string
	// when reports whether a tool needs the stage. Nil: every tool does.
	when func(*Engine, *Tool) bool
	// run passes the stage the phases that it needs, and stores its results.
	// Without an answer the next stage runs. Nil: the stage does nothing on the
	// way in.
	run func(*call) *answer.Answer
	// after runs the stage's part on the way out, with the result of the call.
	// The result is nil if the call has an error instead, such as an unknown
	// tool. Nil: the stage does nothing on the way out.
	after func(*call, *exchange.Result) *exchange.Result
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

// Stages returns the pipeline, in order. No other code orders the stages:
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
func Stages() []Stage {
	return []Stage{
		{Name: facts.StageAudit, Enforces: []string{"auditEvent"}, after: (*call).writeEnd},
		{Name: facts.StageComplete, extras: true, Enforces: []string{"idempotency"}, when: claims, after: (*call).recordEnd},
		{
			Name: facts.StageLookup, Enforces: []string{"risk"},
			run: func(c *call) (a *answer.Answer) {
				c.identified, a = lookup(c.arrival)
				return a
			},
		},
		{
			Name: facts.StageOpenState, extras: true, Enforces: []string{"confirmation", "stepUp"}, when: takesState,
			run: func(c *call) (a *answer.Answer) {
				c.extras.consent.State, c.extras.carried, a = openState(c.arrival)
				return a
			},
			after: (*call).keepAnswers,
		},
		{
			Name: facts.StageAuthenticate, Enforces: []string{"securityLevel", "permissions"},
			run: func(c *call) *answer.Answer {
				return authenticate(c.identified)
			},
		},
		{
			Name: facts.StageAdmit, Enforces: []string{"permissions", "discoverWith", "rateLimit", "totalRateLimit", "maxArgumentBytes"},
			run: func(c *call) (a *answer.Answer) {
				state, _ := c.carried()
				c.identified, a = admit(c.identified, state)
				return a
			},
		},
		{
			Name: facts.StageValidate, counts: true, Enforces: []string{"inputSchema", "lenient", "idempotency"},
			run: func(c *call) (a *answer.Answer) {
				state, round := c.carried()
				c.understood, a = validate(c.identified, state, round)
				return a
			},
		},
		{
			Name: facts.StageResolve, Enforces: []string{"effect", "risk", "confirmation", "permissions"}, when: resolves,
			run: func(c *call) (a *answer.Answer) {
				c.understood, a = resolve(c.understood)
				return a
			},
		},
		{
			Name: facts.StageAuthorize, Enforces: []string{"permissions", "objectAuthorization"}, when: authorizes,
			run: func(c *call) (a *answer.Answer) {
				c.missing, a = authorize(c.understood)
				return a
			},
		},
		{
			Name: facts.StageBudget, Enforces: []string{"retryBudget"}, needsReturn: true,
			run: func(c *call) (a *answer.Answer) {
				c.failures, a = checkBudget(c.understood)
				return a
			},
			after: (*call).countEnd,
		},
		{
			Name: facts.StagePreview, Enforces: []string{"dryRun"}, when: hasPreview,
			run: func(c *call) *answer.Answer {
				return preview(c.understood)
			},
		},
		{
			Name: facts.StageReplay, Enforces: []string{"idempotency"}, when: looksUpFirst,
			run: func(c *call) *answer.Answer {
				return replay(c.agreed())
			},
		},
		{
			Name: facts.StageRequire, extras: true, Enforces: []string{"dryRun"}, when: requiresDryRun,
			run: func(c *call) (a *answer.Answer) {
				c.extras.preview, a = requireDryRun(c.understood)
				return a
			},
		},
		{
			Name: facts.StageConfirm, restarts: true, extras: true,
			Enforces: []string{"confirmation", "typedConfirmation", "securityLevel"}, when: asks,
			run: func(c *call) (a *answer.Answer) {
				c.extras.consent, a = confirm(c.agreed(), c.extras.consent)
				c.approved = c.approved || c.extras.consent.Approved()
				return a
			},
		},
		{
			Name: facts.StageStepUp, restarts: true, extras: true, Enforces: []string{"stepUp", "securityLevel"}, when: demandsStepUp,
			run: func(c *call) (a *answer.Answer) {
				c.extras.consent, a = stepUp(c.agreed(), c.extras.consent)
				return a
			},
		},
		{
			Name: facts.StageAuthorize, extras: true, Enforces: []string{"permissions", "objectAuthorization"}, when: authorizesAgain,
			run: func(c *call) (a *answer.Answer) {
				if c.extras.consent.Waited() {
					c.missing, a = authorize(c.understood)
				}
				return a
			},
		},
		{Name: facts.StageIntent, Enforces: []string{"risk"}, when: intendsBeforeClaim, run: (*call).intend},
		{
			Name: facts.StageReserve, restarts: true, Enforces: []string{"maxConcurrent", "cancellable", "effect"},
			run: func(c *call) (a *answer.Answer) {
				c.slot, a = reserve(c.understood)
				return a
			},
		},
		{
			Name: facts.StageBegin, extras: true, Enforces: []string{"idempotency", "confirmation", "stepUp", "retryBudget"}, when: claims,
			run: func(c *call) (a *answer.Answer) {
				if c.extras.claim, a = begin(c.agreed(), c.failures); c.extras.claim.callID != "" {
					c.log.Continue(c.extras.claim.callID)
				}
				return a
			},
		},
		{Name: facts.StageIntent, Enforces: []string{"risk"}, when: intendsAfterClaim, run: (*call).intend},
		{
			Name: facts.StageSpend, extras: true, Enforces: []string{"dryRun"}, when: requiresDryRun,
			run: func(c *call) *answer.Answer {
				return spendDryRun(c.agreed(), c.extras.claim)
			},
		},
		{
			Name: facts.StageMark, extras: true, Enforces: []string{"idempotency"}, when: asksPeople,
			run: func(c *call) *answer.Answer {
				return mark(c.agreed(), c.extras.claim)
			},
		},
		{
			Name: facts.StageRun, Enforces: []string{"timeoutMs"},
			run: func(c *call) (a *answer.Answer) {
				c.execution.Ran = true // also runs if the handler ends the goroutine
				c.execution, a = run(c.understood, c.slot, c)
				return a
			},
		},
		{
			Name: facts.StageCheckResult, Enforces: []string{"outputSchema", "maxResultBytes", "contentTrust", "delimit", "failureModes"},
			run: func(c *call) *answer.Answer {
				return checkResult(c.understood, c.execution)
			},
		},
	}
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
func (c *call) countEnd(result *exchange.Result) *exchange.Result {
	if result == nil || !c.log.IsCounted() {
		return result
	}
	return countFailure(c.understood, c.failures, c.isClaimed(), c.execution.Ran, result)
}

// keepAnswers keeps the answers of a person that were given while the call
// waited, if the call never began and can be repeated.
func (c *call) keepAnswers(result *exchange.Result) *exchange.Result {
	if result != nil && !c.execution.Ran && result.Outcome.Class == contract.ClassRetryable {
		c.engine.desk.Keep(c.extras.consent)
	}
	return result
}

// recordEnd records how a claimed call ended.
func (c *call) recordEnd(result *exchange.Result) *exchange.Result {
	if result != nil && c.isClaimed() {
		complete(c.agreed(), c.extras.claim, c.execution, c.failures, result)
	}
	return result
}

// writeEnd writes the terminal event, or a late one if the guard closed while
// the handler was running and has written it.
func (c *call) writeEnd(result *exchange.Result) *exchange.Result {
	agreed, stage := c.agreed(), c.log.Stage()
	if c.log.HasAsked() || result != nil && result.Outcome.Status == contract.StatusAsked {
		agreed.auditAsked(stage, c.execution.Ran)
		return result
	}
	kind := audit.Terminal
	if !c.terminal.CompareAndSwap(false, true) {
		kind = audit.Late
	}
	agreed.audit(kind, stage, c.execution.Ran, result)
	return result
}

// EndLate records how a handler ended after its caller had been answered.
func (c *call) EndLate(out any, err error) {
	c.answered.Wait()
	late := c.started()
	late.execution = running.Execution{Ran: true, Late: true, Out: out, Err: err}
	result := late.netted(func() *answer.Answer { return checkResult(late.understood, late.execution) })
	late.recordEnd(result)
	agreed := late.agreed()
	agreed.audit(audit.Late, facts.StageRun, late.execution.Ran, result)
}

// Abandon writes the terminal event of a call whose handler is still running on
// its caller's goroutine while the guard closes.
func (c *call) Abandon() {
	if !c.terminal.CompareAndSwap(false, true) {
		return
	}
	given := c.started()
	given.log.Blame(running.ErrGivenUp)
	result := given.resultOf(givenUp(given.understood))
	agreed := given.agreed()
	agreed.audit(audit.Terminal, facts.StageRun, given.execution.Ran, result)
}

// intend writes the intent of a call from high risk up durably to the audit
// log. It refuses other calls that need the audit log while it cannot be
// written.
func (c *call) intend() *answer.Answer {
	if c.doc.Risk.AtLeast(risk.High) {
		return writeIntent(c.agreed())
	}
	return requireAudit(c.understood)
}
