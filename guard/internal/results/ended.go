// Package results turns the end of a handler, or a refusal, into the result
// that a caller gets: checked, sanitized, delimited and within its size.
package results

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/operatorlog"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// The lines about the effects of a write that began and failed. Reads, dry runs,
// atomic tools and tools without a contract never have one.
const (
	mayHaveHappened = "Effects may have happened."
	mayStillHappen  = "Effects may have happened or may still happen."
)

// A Checker checks how handlers and previews ended. [NewChecker] makes one.
type Checker struct{ lines *operatorlog.Log }

// NewChecker returns a checker that reports to the operator's log.
func NewChecker(lines *operatorlog.Log) Checker { return Checker{lines} }

// MayHaveHappened returns the line about the effects of a call whose handler
// began, or "" for a read and for a tool whose writes are undone.
func MayHaveHappened(d *contract.Document) string { return effectsOf(d, mayHaveHappened) }

func effectsOf(d *contract.Document, line string) string {
	if d.Effect == 0 || d.Effect == risk.ReadOnly || d.Idempotency != nil && d.Idempotency.Atomic {
		return ""
	}
	return line
}

// Check checks how the handler ended against the contract, and always returns a
// result. A failure must be declared. An output is sanitized, and must then fit
// its schema and size. The audit log names the stage Run for an error, because
// there was no result to check.
func (c Checker) Check(ctx context.Context, v *facts.View, ended *running.Ended) *answer.Ending {
	if ended.Kind != running.Returned {
		a := c.withoutResult(ctx, v, ended)
		a.Stage = cmp.Or(a.Stage, facts.StageRun)
		return a
	}
	r, err := Output(v.Tool, ended.Out)
	if e, ok := errors.AsType[*TooLargeError](err); ok {
		return answer.Refuse(e.Refusal(v.Tool, "")).With(MayHaveHappened(v.Doc))
	}
	if err != nil {
		return c.Unusable(ctx, "", err).With(MayHaveHappened(v.Doc))
	}
	return answer.Of(r)
}

// Unusable refuses a result that breaks its schema, so that it does not leave
// the server.
func (c Checker) Unusable(ctx context.Context, message string, err error) *answer.Ending {
	c.lines.ReportPanic(ctx, err)
	return answer.Refuse(answer.NewRefusal(contract.CodeOutputInvalid, message).Because(err))
}

// withoutResult answers a call whose handler did not return a result.
func (c Checker) withoutResult(ctx context.Context, v *facts.View, ended *running.Ended) *answer.Ending {
	switch ended.Kind { //nolint:exhaustive // the others have an error
	case running.TimedOut:
		return answer.Refuse(answer.NewRefusal(contract.CodeTimeout, "")).With(effectsOf(v.Doc, mayStillHappen))
	case running.GivenUp:
		return GivenUp(v.Doc)
	}
	return c.Failed(ctx, v, ended, MayHaveHappened(v.Doc))
}

// GivenUp answers a call whose handler was still running when the guard closed.
// A read, or a call that was undone, can be retried elsewhere; the effect of
// any other write is unknown.
func GivenUp(d *contract.Document) *answer.Ending {
	effects := effectsOf(d, mayStillHappen)
	if effects == "" {
		return answer.Refuse(answer.Closing())
	}
	return answer.Refuse(answer.NewRefusal(contract.CodeTimeout, "the server closed before the tool ended")).With(effects)
}

// Failed answers a call whose handler or dry run returned an error. Only a
// declared failure reaches the caller with its text. The line about effects is
// empty for a read and a dry run.
func (c Checker) Failed(ctx context.Context, v *facts.View, e *running.Ended, effects string) *answer.Ending {
	v.Journal.Blame(e.Err)
	refused := ""
	if e.Kind == running.Refused {
		refused = e.Wrapped.Code
	}
	switch {
	case e.Kind == running.Protocol:
		return answer.Of(protocolError(v, e))
	case !e.HasError():
		return answer.Refuse(answer.NewRefusal(contract.CodeInternalError, "")).With(effects)
	case e.Failure != nil && e.Failure.Code() == contract.CodeConfirmationRequired && !v.Tool.Impl.Facts().Asks && !e.Cancelled:
		c.lines.WarnUndeclared(ctx, v.Tool.Doc.Name, e.Failure.Code())
		return answer.Refuse(answer.NewRefusal(contract.CodeInternalError, "")).With(effects)
	case refused != "" && e.Wrapped.Unasked && !e.Cancelled:
		message := ""
		if refused != contract.CodeInternalError {
			message = e.Failure.Message()
		}
		return answer.Refuse(answer.NewRefusal(refused, message))
	case refused == contract.CodeInvalidInput: // before the handler did anything
		return answer.Refuse(answer.NewRefusal(refused, ""))
	case refused == contract.CodeUnavailable && !e.Cancelled:
		return answer.Refuse(answer.Unavailable("").Because(e.Err)).With(effects)
	case refused != "" && !e.Cancelled:
		return answer.Refuse(answer.NewRefusal(refused, "")).With(effects)
	case e.Cancelled && effects == "":
		return Cancelled("nothing was done")
	case FailedAsDeclared(v.Tool, e):
		a := &answer.Ending{Result: c.addReported(ctx, v, DeclaredFailure(v, e.Failure), e)}
		if v.Tool.Mode(e.Failure.Code()).EffectPossible {
			a.Effects = effects
		}
		return a
	case e.Cancelled:
		return Cancelled("effects may have happened")
	case e.Failure != nil && v.Tool.Impl.Facts().OtherErrors == "":
		c.lines.WarnUndeclared(ctx, v.Tool.Doc.Name, e.Failure.Code())
	}
	return c.undeclared(ctx, v, e, effects)
}

// Cancelled answers a call whose handler returned an error after its caller had
// cancelled it. The caller no longer waits for the answer, and the error is not
// the tool's failure. A declared failure of a write is an outcome, so it keeps
// its code.
func Cancelled(effects string) *answer.Ending {
	return answer.Of(&exchange.Result{
		Text: "cancelled: the caller cancelled the call; " + effects, IsError: true,
		Outcome: contract.Outcome{Status: contract.StatusCancelled},
	})
}

// undeclared answers a call that ended with an undeclared error: with the
// error's text if the contract has OtherErrors, or if the error is the result
// of a wrapped handler. The line about effects is left out if such a result is
// declared not to have any.
func (c Checker) undeclared(ctx context.Context, v *facts.View, e *running.Ended, effects string) *answer.Ending {
	f := v.Tool.Impl.Facts()
	code := f.OtherErrors
	if e.Kind == running.Reported && e.Wrapped.Own && code == "" {
		code = f.Reported
		if code != "" && !v.Tool.Mode(code).EffectPossible {
			effects = ""
		}
	}
	if code == "" {
		return answer.Refuse(answer.NewRefusal(contract.CodeInternalError, "")).With(effects)
	}
	if f.Verbatim && e.Kind == running.Reported && e.Wrapped.Own {
		if r := c.verbatim(ctx, v, code, e); r != nil {
			return answer.Of(r)
		}
	}
	words := v.Redact(e.Err.Error())
	message, removed := text.OfError(words)
	r := handlerErrorResult(v.Tool, code, message)
	r.Outcome.Sanitized = removed
	r.Outcome.Removed = errorRemovals(words, message, removed)
	return answer.Of(c.addReported(ctx, v, r, e)).With(effects)
}

// verbatim returns the error result of a wrapped handler with its own content,
// cleaned as the contract demands, and the code only in the outcome. It is nil
// if no content is left.
func (c Checker) verbatim(ctx context.Context, v *facts.View, code string, e *running.Ended) *exchange.Result {
	r := &exchange.Result{IsError: true, Outcome: contract.Outcome{
		Status: contract.StatusError, Code: code, Class: v.Tool.Mode(code).Class,
	}}
	if v.Tool.Impl.Facts().OtherErrors == "" { // the document does not list the code
		r.Outcome.Class = contract.ClassRetryable
	}
	if c.addReported(ctx, v, r, e); len(r.Content) == 0 {
		return nil
	}
	return r
}

// addReported adds the content of an error result of a wrapped handler to the
// result of its call. A part that was left out is logged once for each tool.
func (c Checker) addReported(
	ctx context.Context, v *facts.View, r *exchange.Result, e *running.Ended,
) *exchange.Result {
	err := addReported(v, r, e)
	if err == nil {
		return r
	}
	c.lines.ReportPanic(ctx, err)
	if c.lines.IsFirst(v.Tool.Doc.Name, "content of an error") {
		c.lines.Logger().LogAttrs(ctx, slog.LevelWarn, "toolcontract: content of an error result was left out",
			slog.String("tool", v.Tool.Doc.Name), slog.String("callId", v.Journal.ID()),
			slog.String("error", operatorlog.Text(v.Tool, v.Args, err)))
	}
	return r
}

// FailedAsDeclared reports whether a handler ended with one of the failures
// that the tool declares.
func FailedAsDeclared(t *facts.ProtectedTool, e *running.Ended) bool {
	return e.Failure != nil && t.Declares(e.Failure.Code())
}

// HasFailed reports whether the handler reported a failure after which the key
// of the call is free for other arguments: a declared failure without a
// possible effect, an error result of a wrapped handler, or an error that
// OtherErrors returns. A failure that the contract does not declare does not
// count, because it may have had an effect. An error that a handler returned
// after its timeout, or after its context had ended, does not count either,
// because it may be a consequence of that.
func HasFailed(t *facts.ProtectedTool, ex *running.Execution) bool {
	switch {
	case !ex.HasError() || ex.Kind == running.Refused:
		return false
	case ex.Failure != nil:
		return FailedAsDeclared(t, &ex.Ended) && !t.Mode(ex.Failure.Code()).EffectPossible
	}
	return !ex.Interrupted && !ex.Late && (ex.Kind == running.Reported || t.Impl.Facts().OtherErrors != "")
}
