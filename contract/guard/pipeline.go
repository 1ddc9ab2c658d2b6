package guard

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
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
