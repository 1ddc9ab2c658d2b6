package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/operation"
)

// mayRepeat reports whether the same request can be sent again without a second
// effect, by the contract or by hints that the host trusts.
func (c *call) mayRepeat() bool {
	if c.dry {
		return true
	}
	if !c.tool.hasContract() && !c.agent.options.TrustedHints {
		return false
	}
	if c.tool.reads() {
		return true
	}
	return c.isDeduplicated() || c.isAnswered()
}

// isDeduplicated reports whether the call has at most one effect, however often
// it is repeated now.
func (c *call) isDeduplicated() bool {
	remembered := !c.lost || time.Since(c.began) < c.tool.remembers()
	switch c.tool.mode() {
	case idempotency.Native:
		return true
	case idempotency.Managed:
		return remembered
	case idempotency.Keyed:
		return remembered && c.key != ""
	case 0, idempotency.None:
	}
	return false
}

// isAnswered reports whether the request carries a person's answer, which is
// good for one execution.
func (c *call) isAnswered() bool {
	return c.tool.hasContract() && c.state != "" && c.tool.Contract.Confirmation != contract.ConfirmationNever
}

// judgeLost judges a request without an answer.
func (c *call) judgeLost(err error, lag time.Duration) verdict {
	c.step(Step{Kind: StepLost, Attempt: c.attempts})
	var unsent *unsentError
	isUnsent := errors.As(err, &unsent)
	mayHaveArrived := !isUnsent && !errors.Is(err, client.ErrUnsent)
	if errors.Is(err, errToolChanged) && !c.lost {
		c.attempts--
		return verdict{err: c.toolChanged()}
	}
	if mayHaveArrived && !c.tool.reads() && !c.dry {
		c.lost = true
	}
	if ended := c.contextFailure(); ended != nil {
		return verdict{err: ended}
	}
	if mayHaveArrived && errors.Is(err, client.ErrMessageTooLarge) {
		return verdict{err: c.fatal(CodeContractBroken, "the answer of the server is too large to be read", err)}
	}
	if isUnsent || !c.mayRepeat() || c.attempts >= c.agent.options.Limits.Attempts {
		if c.lost {
			return verdict{err: c.outcomeUnknown(err)}
		}
		return verdict{err: c.fatal(contract.CodeUnavailable, "the server cannot be reached", err)}
	}
	return verdict{wait: lag}
}

// toolChanged is the failure of a call whose tool changed before the call was
// sent.
func (c *call) toolChanged() error {
	return c.retry(CodeRefused, "the definition of the tool has changed; read it again before you call the tool")
}

// outcomeUnknown is the failure of a call that may have had its effect, unless
// a lookup shows that it succeeded. It doesn't wrap the failure of a repeated
// request, which would make the call look correctable.
func (c *call) outcomeUnknown(err error) error {
	switch repeated := err.(type) { //nolint:errorlint // only a failure of this package itself
	case *RetryError:
		err = fmt.Errorf("the repeated request failed with %s", repeated.Code)
	case *FatalError:
		err = fmt.Errorf("the repeated request failed with %s", repeated.Code)
	}
	c.lookUp()
	message := "the answer was lost, and the call may have had its effect"
	switch c.operation.State {
	case operation.Succeeded:
		return c.fatal(contract.CodeAlreadyDone, "the answer was lost; the server says that the call succeeded", err)
	case operation.NotDone, operation.Failed:
		// A request that is still on its way may run later, so the outcome is
		// not certain.
		message += "; the server says that it has had none so far"
	case operation.Ended:
		message += "; the server says that it has ended"
	case operation.Running:
		message += "; the server says that it is still running"
	}
	return c.fatal(contract.CodeOutcomeUnknown, message, err)
}

// contextFailure returns the failure of a call whose context is done. It is nil
// as long as the context isn't.
func (c *call) contextFailure() error {
	if c.ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(c.ctx)
	switch {
	case c.lost:
		return c.outcomeUnknown(c.endOf(cause))
	case errors.Is(cause, errTimeLimit) && c.lastFailure != nil:
		return c.lastFailure
	case errors.Is(cause, errTimeLimit):
		return c.retry(contract.CodeTimeout, "the call took longer than its time limit")
	}
	return c.fatal(CodeCancelled, "the caller gave up", c.endOf(cause))
}

// endOf returns the cause together with the error of the context, which callers
// compare with.
func (c *call) endOf(cause error) error {
	if err := c.ctx.Err(); !errors.Is(cause, err) {
		return errors.Join(cause, err)
	}
	return cause
}

// contractBroken is the failure of a call whose server breaks a promise.
func (c *call) contractBroken(message string) error { return c.fatal(CodeContractBroken, message, nil) }

// judgeResult judges a result that asks nothing.
func (c *call) judgeResult(w *wireResult) verdict {
	outcome := w.outcome()
	if outcome.OperationID != "" {
		c.operation = Operation{ID: outcome.OperationID}
	}
	if outcome.KeyIgnored {
		c.key = ""
	}
	items, first, ok := w.content()
	c.step(Step{
		Kind: StepAnswered, Attempt: c.attempts, Code: outcome.Code, Class: outcome.Class, OperationID: outcome.OperationID,
	})
	switch {
	case !ok:
		return verdict{err: c.contractBroken("the content of the result cannot be read")}
	case w.IsError:
		return c.judgeFailure(outcome, first, textOf(items))
	case outcome.Status == contract.StatusError || outcome.Status == contract.StatusAsked:
		return verdict{err: c.contractBroken("the result is a success, and its outcome is none")}
	case outcome.Status == contract.StatusDryRun && !c.dry:
		return verdict{err: c.contractBroken("the call was answered as a dry run")}
	}
	r := &Result{
		Tool: c.name, Key: c.key, Text: textOf(items), Content: items, Outcome: outcome, Preview: c.preview, Attempts: c.attempts,
		Trust: stricter(c.tool.Contract.ContentTrust, outcome.ContentTrust),
	}
	if outcome.Status == 0 {
		r.Outcome.Status = contract.StatusOK
	}
	if w.hasStructured() {
		r.Structured = w.Structured
	}
	if err := c.checkOutput(r); err != nil {
		return verdict{err: err}
	}
	if c.dry {
		return c.judgePreview(r)
	}
	return verdict{result: r}
}

// judgePreview checks that a dry run was one.
func (c *call) judgePreview(r *Result) verdict {
	var p struct {
		DryRun bool   `json:"dryRun"`
		Token  string `json:"dryRunToken"`
	}
	if r.Outcome.Status != contract.StatusDryRun || readStrict(r.Structured, &p) != nil || !p.DryRun {
		return verdict{err: c.contractBroken("the dry run was answered as a call, which may have had its effect")}
	}
	r.token = p.Token
	return verdict{result: r}
}

// judgeFailure judges a result that reports a failure.
func (c *call) judgeFailure(o contract.Outcome, first, text string) verdict {
	f := c.serverFailure(o, first, text)
	fatal := isFatal(first) || o.Class == contract.ClassFatal
	if o.Class == 0 && !fatal {
		fatal = c.declaredClass(o.Code) == contract.ClassFatal
	}
	after := delayOf(o)
	var failure error = &RetryError{Failure: f, After: after}
	if fatal {
		failure = &FatalError{Failure: f}
	}
	if o.Code == contract.CodeDryRunRequired && c.mayRedo() {
		c.redone = true // the token was too old, or the list of tools was
		return verdict{err: c.redo(), uncounted: true}
	}
	waits := !fatal && c.mayWait(o, after)
	c.lastFailure = failure
	switch {
	case waits && o.Code == contract.CodeConfirmationPending:
		if v, decided := c.awaitApproval(o, after); decided {
			return v
		}
	case waits && c.attempts < c.agent.options.Limits.Attempts && after <= c.agent.options.Limits.Wait:
		return verdict{wait: after}
	}
	if c.lost && !c.settles(o) {
		failure = c.outcomeUnknown(failure)
	}
	return verdict{err: failure}
}

// mayRedo reports whether the dry run may be repeated. It is repeated once.
func (c *call) mayRedo() bool {
	return !c.dry && !c.lost && c.tool.hasDryRun() && !c.redone
}

// redo repeats the dry run, and shows it to a person who saw the first one.
func (c *call) redo() error {
	if err := c.runDry(); err != nil {
		return err
	}
	if !c.agreed {
		return nil
	}
	c.agreed = false
	return c.askFirst()
}

// serverFailure returns the failure that a server reports.
func (c *call) serverFailure(o contract.Outcome, first, text string) Failure {
	code := o.Code
	if code == "" {
		code = contract.CodeToolRetry
		if isFatal(first) {
			code = contract.CodeToolFatal
		}
	}
	if isFatal(first) {
		text = strings.TrimPrefix(strings.TrimPrefix(text, fatalMark), " ")
	}
	f := c.failure(code, strings.TrimPrefix(text, code+": "))
	f.FromServer, f.Outcome = true, o
	f.EffectPossible = c.effectAfter(code) && (c.lost || !o.NoEffect || !c.tool.hasContract())
	f.Trust = stricter(c.tool.Contract.ContentTrust, o.ContentTrust)
	return f
}

// declaredClass returns the class that the contract declares for a code whose
// outcome has none. Without a code the failure is retryable, because the model
// may be able to correct its cause.
func (c *call) declaredClass(code string) contract.Class {
	for _, m := range c.tool.Contract.FailureModes {
		if m.Code == code {
			return m.Class
		}
	}
	if code != "" {
		return contract.ClassFatal // the outcome has a code that the contract does not declare
	}
	return contract.ClassRetryable
}

// settles reports whether a failure shows what became of an earlier request of
// the call whose answer was lost. A refusal of the repeated call shows nothing
// about the first one.
func (c *call) settles(o contract.Outcome) bool {
	if o.Status == contract.StatusReplayed {
		return true
	}
	if c.tool.Origin != OriginContract || !c.tool.mode().Deduplicates() {
		return false
	}
	for _, m := range c.tool.Contract.FailureModes {
		if m.Code == o.Code {
			return m.By == contract.ByTool // the handler ran, so nothing was recorded before
		}
	}
	return false
}

// mayWait reports whether to send the same call again after a delay.
func (c *call) mayWait(o contract.Outcome, after time.Duration) bool {
	if after == 0 {
		return false
	}
	switch o.Code {
	case contract.CodeOutcomeUnknown:
		return c.mayRepeat() // the earlier call may have had its effect
	case contract.CodeConfirmationPending, contract.CodeRateLimitExceeded, contract.CodeKeyInProgress:
		if c.tool.hasContract() {
			return true // the guard did not run the handler
		}
	}
	if c.mayRepeat() {
		return true
	}
	for _, m := range c.tool.Contract.FailureModes {
		if m.Code == o.Code {
			return m.By == contract.ByGuard && !m.EffectPossible
		}
	}
	return false
}

// awaitApproval sends the person to the page of an approval once, and waits. It
// reports false if it does not: without a host that opens pages, only the
// caller knows how to wait.
func (c *call) awaitApproval(o contract.Outcome, after time.Duration) (v verdict, decided bool) {
	if c.agent.options.Host.Open == nil || c.lost && !c.isDeduplicated() {
		return verdict{}, false
	}
	if o.URL != "" && !c.visited {
		c.visited = true
		switch c.visit(c.ctx, o.URL, "Approve or decline the call on this page.").Action {
		case Decline:
			return verdict{
				err: c.giveUp(contract.CodeConfirmationDeclined, "the person did not open the page of the approval", 0),
			}, true
		case Cancel:
			return verdict{}, false
		case Accept:
		}
	}
	return verdict{wait: min(max(after, shortestLag), max(c.agent.options.Limits.Wait, shortestLag)), uncounted: true}, true
}

// protocolFailure is the failure of a call that was answered with a JSON-RPC
// error.
func (c *call) protocolFailure(p *client.ServerError) error {
	c.step(Step{Kind: StepAnswered, Attempt: c.attempts, Code: CodeProtocolError})
	f := c.failure(CodeProtocolError, clean(p.Message))
	f.FromServer = true
	var err error = &FatalError{Failure: f, Err: p}
	if p.Code == codeInvalidParams {
		err = &RetryError{Failure: f}
	}
	if c.lost {
		return c.outcomeUnknown(err)
	}
	return err
}

// giveUp is the failure of a call that the agent won't send again.
func (c *call) giveUp(code, message string, after time.Duration) error {
	err := &RetryError{Failure: c.failure(code, message), After: after}
	if c.lost {
		return c.outcomeUnknown(err)
	}
	return err
}

func (c *call) failure(code, message string) Failure {
	return Failure{
		Tool: c.name, Code: code, Key: c.key, Message: message, Trust: c.tool.Contract.ContentTrust.Effective(), Attempts: c.attempts,
		EffectPossible: c.effectPossible(code), Operation: c.operation,
	}
}

// effectPossible reports whether a call may have had an effect although the
// agent itself failed it with this code.
func (c *call) effectPossible(code string) bool {
	switch code {
	case CodeUnknownTool, CodeRefused, CodeCancelled: // before anything was sent, unless the call was lost
		return c.lost && c.effectAfter(code)
	}
	return c.effectAfter(code)
}

// effectAfter reports whether a call may have had an effect if its answer has
// this code. A server can send any code, even one of the agent's own.
func (c *call) effectAfter(code string) bool {
	switch {
	case c.dry || c.tool.reads():
		return false
	case c.lost: // the answer to an earlier request of the call
		return true
	case c.attempts == 0:
		return false
	case code == contract.CodeOutcomeUnknown, !c.tool.hasContract():
		return true
	}
	for _, m := range c.tool.Contract.FailureModes {
		if m.Code == code {
			return m.EffectPossible
		}
	}
	return !refusedBefore(code)
}

// refusedBefore reports whether a guard refuses calls with the code before the
// handler starts.
func refusedBefore(code string) bool {
	switch code {
	case contract.CodeInvalidInput, contract.CodeUnauthenticated, contract.CodePermissionDenied, contract.CodeRateLimitExceeded,
		contract.CodeDryRunRequired, contract.CodeConfirmationRequired, contract.CodeConfirmationPending,
		contract.CodeConfirmationDeclined, contract.CodeStepUpRequired, contract.CodeKeyConflict, contract.CodeUnavailable,
		contract.CodeRetryBudgetExhausted:
		return true
	}
	return false
}

func (c *call) retry(code, message string) error {
	return &RetryError{Failure: c.failure(code, message)}
}

func (c *call) fatal(code, message string, err error) error {
	return &FatalError{Failure: c.failure(code, message), Err: err}
}
