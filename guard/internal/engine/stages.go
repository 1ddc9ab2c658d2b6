package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/records"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/rounds"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/risk"
)

// The stages that need more than one step, in the order of the pipeline.

// lookUp finds the principal. It is the first stage of a call, because a
// forbidden tool does not exist for an agent, whatever else is wrong. Lines in
// the log name the call from here on.
func (c *call) lookUp() *answer.Ending {
	l := callctx.Values{Tool: c.tool, ID: c.journal.ID(), Args: c.args, Records: c}
	c.ctx = callctx.WithoutTransaction(c.ctx)
	p, err := c.engine.gate.Find(c.ctx, l)
	c.unknown = c.unlessPlain(err)
	c.ctx, c.principal = callctx.WithPrincipal(c.ctx, l, p)
	if !c.tool.Audience.Knows(c.principal) {
		c.journal.Blame(err)
		return &answer.Ending{Err: exchange.ErrUnknownTool}
	}
	return nil
}

// authenticate refuses invalid credentials, an anonymous caller of a tool that
// needs a principal, and a caller of the lookup tool who sees no tool that
// records its calls.
func (c *call) authenticate() *answer.Ending {
	refused := access.Authenticate(c.principal, c.unknown, c.tool.Audience)
	if refused == nil && c.tool.Audience.IsOfRecorded() && !c.set.includes(c.principal, c.tool.Audience) {
		refused = answer.NewRefusal(contract.CodePermissionDenied, "none of the tools that you may call records its calls")
	}
	return answer.Refuse(refused)
}

// openState opens the state that a call carries: that of a question to a
// person, or that of a handler which asked for an input. A state that this
// server did not seal for this tool ends the call. Tools that never ask ignore
// states.
func (c *call) openState() *answer.Ending {
	sealed := c.request.State
	if sealed == "" {
		return nil
	}
	tool := c.tool.Doc.Name
	audience := c.audience()
	if c.tool.AsksForInput {
		if c.extras.openedRound = c.engine.rounds.Open(sealed, tool, audience); c.extras.openedRound != nil {
			return nil
		}
	}
	var err error
	if c.extras.consent.State, err = c.engine.people.OpenState(sealed, tool, audience); err != nil {
		return rejectState()
	}
	return nil
}

func rejectState() *answer.Ending { return &answer.Ending{Err: exchange.ErrRejectedState} }

// validate reads the arguments: strict JSON, defaults, the input schema, the
// tool author's type. It also determines the key of the call. If the call
// carries a state for other arguments or of another principal, it ends here. If
// it carries the state of a handler, it continues the call of that handler.
func (c *call) validate() *answer.Ending {
	args, broken := c.tool.Impl.Decode(c.request.Arguments)
	if len(broken) > 0 {
		if args != nil {
			c.engine.lines.LogPanic(c.ctx, args.Panic)
		}
		return answer.Refuse(answer.Violated(violations(broken)...))
	}
	c.args = args
	c.takePlain(args)
	callctx.NoteArguments(c.ctx, args)
	if !c.continues() {
		return rejectState()
	}
	var refused *answer.Refusal
	c.key, refused = records.KeyOf(c.tool, c.scope(), args, c.request.IdempotencyKey)
	return answer.Refuse(refused)
}

// continues reports whether the state that the call carries, if it carries one,
// was issued to this principal for these arguments. The state of a handler must
// also count now; the call then continues the call of that handler.
func (c *call) continues() bool {
	state, round := c.states()
	if state == nil && round == nil {
		return true
	}
	principal := consent.PrincipalDigest(c.scope())
	arguments := consent.ArgumentsDigest(c.args.Canonical)
	if state != nil && !state.IsFor(principal, arguments) {
		return false
	}
	if round == nil {
		return true
	}
	if !round.IsFor(principal, arguments) || round.IsExpired(c.tool.Digest(), time.Now()) {
		return false
	}
	c.round = round
	c.approved = round.Approved
	c.journal.Continue(round.CallID)
	return true
}

// resolve determines the clauses for these arguments, which may be weaker than
// the declared contract. A stricter resolution refuses the call.
func (c *call) resolve() *answer.Ending {
	doc, failed, err := c.engine.gate.Resolve(c.ctx, c.tool, c.args.Canonical)
	c.journal.Blame(cmp.Or(err, failed))
	if err != nil {
		return answer.Refuse(answer.NewRefusal(contract.CodeInternalError, ""))
	}
	c.doc = doc
	c.missing = c.principal.Missing(doc.Permissions)
	if c.round != nil && c.round.Terms != c.terms() {
		return rejectState() // the handler asked under other clauses
	}
	return nil
}

func (c *call) authorize() *answer.Ending {
	var refused *answer.Refusal
	decided := c.accessRequest()
	c.missing, refused = c.engine.gate.Authorize(c.ctx, &decided)
	return answer.Refuse(refused)
}

// errOtherCaller is the cause of a refusal for the audit log.
var errOtherCaller = errors.New("guard: the caller became another principal while the call waited for a person")

// admitAgain checks the caller once more after the call has waited for a
// person, who may take minutes: the caller may have lost access in the
// meantime. The answer is that of a new call, except that the rate limits are
// not charged again. The audit log names the stage of a new call, and the
// caller that waited.
func (c *call) admitAgain() (a *answer.Ending) {
	ctx, waited := c.ctx, c.caller
	defer func() {
		if a != nil {
			c.ctx, c.caller = ctx, waited
		}
	}()
	fromStage := func(stage string, a *answer.Ending) *answer.Ending {
		if a != nil {
			a.Stage = stage
		}
		return a
	}
	if a := c.lookUp(); a != nil {
		return fromStage(facts.StageLookup, a)
	}
	refused := access.Authenticate(c.principal, c.unknown, c.tool.Audience)
	if refused == nil && facts.NameOf(*c.principal) != facts.NameOf(*waited.principal) {
		refused = answer.NewRefusal(contract.CodeUnauthenticated, "the caller is no longer the one that the person was asked about").
			Because(errOtherCaller)
	}
	if refused != nil {
		return fromStage(facts.StageAuthenticate, answer.Refuse(refused))
	}
	arrival := c.arrival()
	if c.missing, refused = access.Permit(&arrival); refused != nil {
		return fromStage(facts.StageAdmit, answer.Refuse(refused))
	}
	if c.tool.Resolves {
		c.missing = c.principal.Missing(c.doc.Permissions)
	}
	return fromStage(facts.StageAuthorize, c.authorize())
}

// preview answers a dry run.
func (c *call) preview() *answer.Ending {
	switch {
	case !c.args.DryRun:
		return nil
	case c.principal.IsAnonymous():
		return answer.Refuse(answer.NewRefusal(contract.CodeUnauthenticated, "a dry run needs an authenticated caller"))
	}
	previewed := c.dryRun()
	return c.engine.previewer.Preview(c.ctx, &previewed, access.Enforced(c.missing, &c.journal))
}

// precheck calls the tool author's function that predicts failures. A call that
// continues an earlier round was checked in the first one.
func (c *call) precheck() *answer.Ending {
	if c.round != nil {
		return nil
	}
	checked := c.dryRun()
	return c.engine.previewer.Precheck(c.ctx, &checked)
}

// confirm asks a person to approve the call, if the contract demands it. An
// approval counts for all rounds of a handler. If no person was needed for the
// first round and one is needed now, the handler must begin again.
func (c *call) confirm() (a *answer.Ending) {
	if c.round != nil {
		if c.approved || !(*consentPipeline)(c).MustAsk(c.ctx) || c.journal.Waives(facts.ClauseConfirmation) {
			return nil
		}
		return rejectState()
	}
	c.extras.consent, a = c.engine.people.Confirm(c.ctx, c.subject(), c.extras.consent)
	c.approved = c.approved || c.extras.consent.Approved()
	return a
}

// intend writes the intent of a call from high risk up durably to the audit
// log. If the store outlives the process, it also does so for other writes that
// need the audit log, so that a crash leaves a trace of them. It refuses calls
// that need the audit log while it cannot be written. The event of the refusal,
// and those of calls that go on, show when the sink accepts events again.
func (c *call) intend() *answer.Ending {
	var err error
	needs := c.doc.Risk.AtLeast(c.engine.config.AuditFrom)
	switch {
	case c.doc.Risk.AtLeast(risk.High), needs && c.doc.Effect != risk.ReadOnly && !c.engine.ledger.IsLocal():
		err = c.writeIntent()
	case needs:
		err = c.engine.recorder.Err()
	}
	if err == nil {
		return nil
	}
	refused := answer.Unavailable("the audit log cannot be written").Because(err)
	if !c.isClaimed() { // a claimed call's record is its own
		refused = refused.OrReplay()
	}
	return answer.Refuse(refused)
}

// reserve takes the slot of the handler. From low-risk-write up, the handler
// does not end when the caller disconnects, unless the contract is Cancellable,
// because a disconnect is not a decision.
func (c *call) reserve() *answer.Ending {
	return c.reserveOn(c.tool.Doc.Timeout > 0 || c.request.Isolate)
}

// reserveOn is reserve for a handler that runs on another goroutine if it is
// isolated.
func (c *call) reserveOn(isolated bool) *answer.Ending {
	ctx := c.ctx
	if c.isDetached() {
		ctx = context.WithoutCancel(ctx)
	}
	if !c.key.IsZero() {
		c.extras.operation = &callctx.Operation{Operation: operation.Operation{ID: c.key.ID}}
		ctx = callctx.WithOperation(ctx, c.extras.operation)
	}
	if c.tool.IsAtomic() {
		ctx = callctx.WithTransaction(ctx, c.engine.ledger.HideTransaction)
	}
	var refused *answer.Refusal
	c.slot, refused = c.engine.running.Take(ctx, c.slots(), isolated, c.tool.Doc.Timeout)
	return answer.Refuse(refused)
}

func (c *call) isDetached() bool { return c.doc.Effect != risk.ReadOnly && !c.tool.Doc.Cancellable }

// begin claims the record of the call. If another call has spent the grant, the
// loop asks a person again, but a round of a handler counts only once.
func (c *call) begin() *answer.Ending {
	e := c.entry()
	// So that a process that was stopped for longer than its lease does not begin
	// what another one has already done.
	e.Handler = c.slot.Context()
	counted := c.failureCount()
	held, a := c.engine.records.Begin(c.ctx, &e, &counted)
	if a != nil && a.Again && c.round != nil {
		return rounds.RefuseSpent()
	}
	c.extras.claim = held
	if c.extras.operation != nil { // the handler does not run yet
		c.extras.operation.Operation = held.Of(c.key.ID)
		if held.IsHeld {
			c.extras.operation.Name = e.Operation(held.Execution).String()
		}
	}
	if held.CallID != "" {
		c.journal.Continue(held.CallID)
	}
	return a
}

func (c *call) handle() *answer.Ending {
	c.execution.Ran = true // also runs if the handler ends the goroutine
	c.inSession().Begin()
	j := running.Job{Tool: c.tool.Impl, In: c.args.In, Limit: c.timeLimit(), Clock: c.clock(), Progress: c.request.Progress}
	if callctx.From(c.ctx).ID != c.journal.ID() { // the call continues an earlier one
		j.Call = &callctx.Values{Tool: c.tool, ID: c.journal.ID(), Args: c.args}
	}
	if c.round != nil || c.approved || c.tool.AsksForInput {
		j.Round = &bound.Round{}
		if c.round != nil {
			*j.Round = c.round.Responses(c.request.Answers)
		}
		j.Round.Approved = c.approved
		j.Round.Takes = c.request.TakesInput
	}
	if c.isAtomic() {
		j.Around = c.atomic().Run
	}
	var refused *answer.Refusal
	c.execution, refused = c.engine.running.Run(c.slot, j, c)
	return answer.Refuse(refused)
}

// timeLimit returns how long the handler may run. Zero means as long as its
// caller waits.
func (c *call) timeLimit() time.Duration {
	if limit := c.tool.Doc.Timeout; limit > 0 {
		return limit
	}
	if c.isDetached() {
		return running.DetachedDeadline
	}
	return 0
}

// checkResult answers with the handler's result, or with its request for input.
func (c *call) checkResult() *answer.Ending {
	wrapped := c.execution.Wrapped
	if c.execution.Kind == running.NeedsInput {
		return c.needInput(wrapped)
	}
	if wrapped != nil && wrapped.Unasked && wrapped.Code == contract.CodeConfirmationDeclined {
		c.engine.people.InputDeclined(c.ctx, c.subject())
	}
	v := c.view()
	if c.tool.Plain != nil {
		return c.checkPassed(&v)
	}
	return c.engine.checker.Check(c.ctx, &v, &c.execution.Ended)
}

// countEnd counts the call's failure, or resets the count after a success. A
// call that is waiting for a page has not failed.
func (c *call) countEnd(result *exchange.Result) *exchange.Result {
	if result == nil || !c.journal.IsCounted() || exchange.AsksForPage(result.RPC) {
		return result
	}
	counted := c.failureCount()
	if exceeded := counted.Count(c.ctx, &result.Outcome, c.isClaimed(), c.execution.Ran); exceeded != nil {
		return results.Refused(c.tool, exceeded)
	}
	return result
}

// keepAnswers keeps what a person answered while the call waited, if the
// handler never ran and the call can be repeated.
func (c *call) keepAnswers(result *exchange.Result) *exchange.Result {
	if result != nil && !c.execution.Ran && result.Outcome.Class == contract.ClassRetryable {
		c.engine.people.Keep(c.extras.consent)
	}
	return result
}

func (c *call) recordEnd(result *exchange.Result) *exchange.Result {
	if result != nil && c.isClaimed() {
		e := c.entry()
		c.name(result, c.operation())
		counted := c.failureCount()
		c.engine.records.Complete(c.ctx, &e, &c.extras.claim, records.End{Execution: c.execution, Result: result}, &counted)
	}
	return result
}
