package results

import (
	"errors"

	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
)

// FailedAsDeclared reports whether an error is one of the failures that the
// tool declares.
func (t Writer) FailedAsDeclared(err error) bool {
	e, ok := errors.AsType[*running.HandlerError](err)
	return ok && e.Failure != nil && t.Declares(e.Failure.Code())
}

// HasFailed reports whether the handler reported a failure after which the key
// of the call is free for other arguments: a declared failure without a
// possible effect, an error result of a wrapped handler, or an error that
// OtherErrors returns. A failure that the contract does not declare does not
// count, because it may have had an effect. An error that a handler returned
// after its time was over, or after its context had ended, does not count
// either. It may be a consequence of that end.
func (t Writer) HasFailed(ex running.Execution) bool {
	e, ok := errors.AsType[*running.HandlerError](ex.Err)
	switch {
	case !ok || e.Refusal != nil:
		return false
	case e.Failure != nil:
		return t.Declares(e.Failure.Code()) && !t.Mode(e.Failure.Code()).EffectPossible
	}
	return !e.Interrupted && !ex.Late && (e.Reported != nil || t.Half.Facts().OtherErrors != "")
}

// AskedForInput returns the request of a handler that needs an input, nil for
// any other end.
func AskedForInput(err error) *bound.InputRequiredError {
	if e, ok := errors.AsType[*running.HandlerError](err); ok {
		return e.Asks
	}
	return nil
}
