package engine

import (
	"cmp"
	"errors"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/oplog"
	"github.com/toolcontract/toolcontract/contract/guard/internal/results"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/guard/internal/text"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// checkResult checks the handler's result against the contract. An error must
// be declared. An output is sanitized, and must then fit its schema and size.
// It always answers. The audit log names the stage Run for an error, because
// there was no result to check.
func checkResult(u understood, ex running.Execution) *answer.Answer {
	if asks := results.AskedForInput(ex.Err); asks != nil {
		return askForInput(u, asks)
	}
	if ex.Err != nil {
		a := handlerEndedWith(u, ex.Err)
		a.Stage = cmp.Or(a.Stage, facts.StageRun)
		return a
	}
	r, err := u.tool.Output(ex.Out)
	if err != nil {
		u.engine.lines.ReportPanic(u.ctx, err)
		return answer.Refuse(unusable(u.tool.Writer, err)).With(effectsOf(u.doc, mayHaveHappened))
	}
	return answer.Of(r)
}

// unusable returns the refusal for a result that does not leave the server.
func unusable(t results.Writer, err error) *answer.Refusal {
	if e, ok := errors.AsType[*results.TooLargeError](err); ok {
		return e.Refusal(t, "")
	}
	return answer.NewRefusal(contract.CodeOutputInvalid, "").Because(err)
}

// handlerEndedWith answers for a handler that did not return a result.
func handlerEndedWith(u understood, err error) *answer.Answer {
	switch {
	case errors.Is(err, running.ErrTimeout):
		return answer.Refuse(answer.NewRefusal(contract.CodeTimeout, "")).With(effectsOf(u.doc, mayStillHappen))
	case errors.Is(err, running.ErrGivenUp):
		return givenUp(u)
	}
	return handlerFailed(u, err, effectsOf(u.doc, mayHaveHappened))
}

// givenUp answers for a handler that was still running when the guard closed. A
// read can be retried elsewhere; the effect of a write is unknown.
func givenUp(u understood) *answer.Answer {
	if u.doc.Effect == risk.ReadOnly {
		return answer.Refuse(answer.Closing())
	}
	return answer.Refuse(answer.NewRefusal(contract.CodeTimeout, "the server closed before the tool ended")).With(mayStillHappen)
}

// handlerFailed answers for an error of the handler, or of a dry run. Only a
// declared failure reaches the caller with its text. effects is the line about
// effects. It is empty for a read and a dry run.
func handlerFailed(u understood, err error, effects string) *answer.Answer {
	u.log.Blame(err)
	e, ok := errors.AsType[*running.HandlerError](err)
	switch {
	case !ok:
		return answer.Refuse(answer.NewRefusal(contract.CodeInternalError, "")).With(effects)
	case e.Refusal != nil && e.Refusal.Code == contract.CodeInvalidInput: // before the handler did anything
		return answer.Refuse(answer.NewRefusal(e.Refusal.Code, ""))
	case e.Refusal != nil && !e.Cancelled:
		return answer.Refuse(answer.NewRefusal(e.Refusal.Code, "")).With(effects)
	case e.Cancelled && effects == "":
		return cancelled("nothing was done")
	case e.Failure != nil && u.tool.Declares(e.Failure.Code()):
		a := &answer.Answer{Result: addReported(u, u.tool.DeclaredFailure(e.Failure), e)}
		if u.tool.Mode(e.Failure.Code()).EffectPossible {
			a.Effects = effects
		}
		return a
	case e.Cancelled:
		return cancelled("effects may have happened")
	case e.Failure != nil && u.tool.Half.Facts().OtherErrors == "":
		u.engine.lines.Undeclared(u.ctx, u.tool.Doc.Name, e.Failure.Code())
	}
	return undeclared(u, e).With(effects)
}

// cancelled answers for a handler that ended with an error after its caller had
// cancelled it. The caller does not wait for the answer any more, and the error
// is no failure of the tool. A declared failure of a write is an outcome, so it
// keeps its code.
func cancelled(effects string) *answer.Answer {
	return &answer.Answer{Result: &exchange.Result{
		Text: "cancelled: the caller cancelled the call; " + effects, IsError: true,
		Outcome: contract.Outcome{Status: contract.StatusCancelled},
	}}
}

// undeclared answers for an error that is not declared: with its text if the
// contract has OtherErrors.
func undeclared(u understood, e *running.HandlerError) *answer.Answer {
	code := u.tool.Half.Facts().OtherErrors
	if code == "" {
		return answer.Refuse(answer.NewRefusal(contract.CodeInternalError, ""))
	}
	message, removed := text.OfError(e.Text)
	r := u.tool.FailedWith(code, message)
	r.Outcome.Sanitized = removed
	return &answer.Answer{Result: addReported(u, r, e)}
}

// addReported adds the content of an error result of a wrapped handler to the
// result of its call. A part that was left out is logged once for each tool.
func addReported(u understood, r *exchange.Result, e *running.HandlerError) *exchange.Result {
	err := u.tool.AddReported(r, e)
	if err == nil {
		return r
	}
	lines := u.engine.lines
	lines.ReportPanic(u.ctx, err)
	if lines.IsFirst(u.tool.Doc.Name, "content of an error") {
		lines.Logger().LogAttrs(u.ctx, slog.LevelWarn, "toolcontract: content of an error result was left out",
			slog.String("tool", u.tool.Doc.Name), slog.String("callId", u.log.ID()),
			slog.String("error", oplog.Text(u.tool.Tool, u.args, err)))
	}
	return r
}
