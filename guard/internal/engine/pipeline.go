package engine

import (
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

// A Stage is one step of the pipeline.
type Stage struct {
	Name string
	// Enforces lists the clauses that the stage enforces, by their names in the
	// document.
	Enforces []string
	// when reports whether a tool needs the stage. Nil: every tool does.
	when func(*Engine, *facts.ProtectedTool) bool
	// run passes the stage the values that it needs, and stores its results.
	// Without an answer the next stage runs. Nil: the stage does nothing on the
	// way in.
	run func(*call) *answer.Ending
	// after runs the stage's part on the way out, with the result of the call.
	// The result is nil if the call has an error instead, such as an unknown
	// tool. Nil: the stage does nothing on the way out.
	after func(*call, *exchange.Result) *exchange.Result
	// waits means that the call may wait for a person there. Its caller is then
	// admitted again.
	waits bool
	// The loop restarts at the tool's first stage that restarts, if another
	// call has spent the grant.
	restarts bool
	// A failure counts against the retry budget if the call has reached a stage
	// that counts.
	counts bool
	// extras means that run or after needs the extras of the call.
	extras bool
}

// Stages returns the pipeline, in order. No other code orders the stages:
// [Set.Add] picks those that a tool needs, and doc.go of package guard explains
// them. Their work is in the packages below this one. Package access lets calls
// in and counts their failures, dryruns previews, records knows earlier calls,
// and consent asks people. Packages rounds, running and results are about the
// handler.
//
// The order matters. Callers without permission learn nothing about a tool,
// because permissions come before validation. Nothing runs, and no person is
// asked, before the arguments are valid. A call that was made before is not
// asked about again. No person authenticates for a call that they will decline.
// A call that has waited for a person gets the answer that a new call would
// get, whatever the person decided. The intent is on record before anything
// happens.
//
// A call that no person is asked about is claimed last, after its intent, and
// the claim also marks it as started. A call that a person may have agreed to
// is claimed before its intent, because only the claim shows whether this is
// the call that the person agreed to. The intent then has the right call id.
// Mark records separately that the call starts.
func Stages() []Stage {
	return []Stage{
		{Name: facts.StageAudit, Enforces: []string{"auditEvent"}, after: (*call).writeEnd},
		{Name: facts.StageComplete, extras: true, Enforces: []string{"idempotency"}, when: needsClaim, after: (*call).recordEnd},
		{Name: facts.StageLookup, Enforces: []string{"risk"}, run: (*call).lookUp},
		{
			Name: facts.StageOpenState, extras: true, Enforces: []string{"confirmation", "stepUp"}, when: takesState,
			run: (*call).openState, after: (*call).keepAnswers,
		},
		{
			Name: facts.StageAuthenticate, Enforces: []string{"securityLevel", "permissions"}, run: (*call).authenticate,
		},
		{
			Name: facts.StageAdmit, Enforces: []string{"permissions", "discoverWith", "rateLimit", "totalRateLimit", "maxArgumentBytes"},
			run: func(c *call) *answer.Ending {
				var refused *answer.Refusal
				arrival := c.arrival()
				c.missing, c.charged, refused = c.engine.gate.Admit(c.ctx, &arrival)
				return answer.Refuse(refused)
			},
		},
		{
			Name: facts.StageValidate, counts: true, Enforces: []string{"inputSchema", "lenient", "idempotency"},
			run: (*call).validate,
		},
		{
			Name: facts.StageResolve, Enforces: []string{"effect", "risk", "confirmation", "permissions", "resolves"}, when: resolves,
			run: (*call).resolve,
		},
		{
			Name: facts.StageAuthorize, Enforces: []string{"permissions", "objectAuthorization"}, when: authorizes,
			run: (*call).authorize,
		},
		{
			Name: facts.StageBudget, Enforces: []string{"retryBudget"}, when: hasContract,
			run: func(c *call) *answer.Ending {
				counted := c.failureCount()
				refused := counted.Check(c.ctx, !c.key.IsZero())
				c.failures = counted.Failures
				return answer.Refuse(refused)
			},
			after: (*call).countEnd,
		},
		{Name: facts.StagePreview, Enforces: []string{"dryRun"}, when: hasPreview, run: (*call).preview},
		{
			Name: facts.StageReplay, extras: true, Enforces: []string{"idempotency"}, when: looksUpFirst,
			run: func(c *call) *answer.Ending {
				e := c.entry()
				a := c.engine.records.Replay(c.ctx, &e)
				c.extras.allowed = e.Allowed
				return a
			},
		},
		{
			Name: facts.StageRequire, extras: true, Enforces: []string{"dryRun"}, when: requiresDryRun,
			run: func(c *call) *answer.Ending {
				if c.round != nil { // the first round had it
					return nil
				}
				var refused *answer.Refusal
				previewed := c.dryRun()
				c.extras.preview, refused = c.engine.previewer.Require(&previewed)
				return answer.Refuse(refused)
			},
		},
		{Name: facts.StagePrecheck, Enforces: []string{"failureModes"}, when: prechecks, run: (*call).precheck},
		{
			Name: facts.StageSession, extras: true, when: joinsSession, run: (*call).joinSession,
			after: func(c *call, result *exchange.Result) *exchange.Result {
				c.inSession().End()
				return result
			},
		},
		{
			Name: facts.StageConfirm, restarts: true, extras: true, waits: true,
			Enforces: []string{"confirmation", "typedConfirmation", "securityLevel"}, when: asks,
			run: (*call).confirm,
		},
		{
			Name: facts.StageStepUp, restarts: true, extras: true, waits: true,
			Enforces: []string{"stepUp", "securityLevel"}, when: demandsStepUp,
			run: func(c *call) (a *answer.Ending) {
				if c.round == nil {
					c.extras.consent, a = c.engine.people.StepUp(c.ctx, c.subject(), c.extras.consent)
				}
				return a
			},
		},
		{Name: facts.StageIntent, Enforces: []string{"risk"}, when: intendsBeforeClaim, run: (*call).intend},
		{
			Name: facts.StageReserve, restarts: true, Enforces: []string{"maxConcurrent", "cancellable", "effect"},
			run: (*call).reserve,
		},
		{
			Name: facts.StageBegin, extras: true, when: needsClaim,
			Enforces: []string{"idempotency", "reconcile", "confirmation", "stepUp", "retryBudget"},
			run:      (*call).begin,
		},
		{Name: facts.StageIntent, Enforces: []string{"risk"}, when: intendsAfterClaim, run: (*call).intend},
		{
			Name: facts.StageSpend, extras: true, Enforces: []string{"dryRun"}, when: requiresDryRun,
			run: func(c *call) *answer.Ending {
				if c.extras.claim.SpentPreview {
					return nil
				}
				return answer.Refuse(c.engine.previewer.Spend(c.ctx, c.extras.preview, c.entry().Grant.Spender(), &c.journal))
			},
		},
		{
			Name: facts.StageMark, extras: true, Enforces: []string{"idempotency"}, when: asksPeople,
			run: func(c *call) *answer.Ending {
				e := c.entry()
				return answer.Refuse(c.engine.records.Mark(c.ctx, &e, &c.extras.claim))
			},
		},
		{Name: facts.StageRun, Enforces: []string{"timeoutMs"}, run: (*call).handle},
		{
			Name: facts.StageCheckResult, Enforces: []string{"outputSchema", "maxResultBytes", "contentTrust", "delimit", "sanitize",
				"failureModes"}, run: (*call).checkResult,
		},
		{Name: facts.StageCommit, extras: true, Enforces: []string{"idempotency"}, when: isAtomic, after: (*call).endTransaction},
	}
}
