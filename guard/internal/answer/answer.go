// Package answer has the answer with which a stage ends a call, and the reason
// why a call does not run. The pipeline turns both into results and audit
// events.
package answer

import (
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/store"
)

// An Ending ends a call, or sends it back to the questions for people. Exactly
// one of Refusal, Result, Recorded, Err and Again is set.
type Ending struct {
	Refusal  *Refusal
	Result   *exchange.Result
	Recorded *store.ClaimResult // the outcome of an earlier equal call
	Err      error              // exchange.ErrUnknownTool or ErrRejectedState: the call has no result
	Again    bool               // another call spent the grant, so a person must also approve this one

	Asked   bool   // the call asked a question outside the client
	Effects string // the line about effects of a write that began. Empty: none

	Stage  string // the stage that the audit log names. Empty: the one that answered
	CallID string // the call id in the audit log. Empty: the call's own id

	// OperationID names the operation that an earlier call began. Empty: none.
	OperationID string
}

// Refuse returns the ending of a refused call, or nil for a nil refusal.
func Refuse(r *Refusal) *Ending {
	if r == nil {
		return nil
	}
	return &Ending{Refusal: r}
}

// Of returns the ending with a result.
func Of(r *exchange.Result) *Ending { return &Ending{Result: r} }

// For sets the name of the operation that an earlier call began.
func (a *Ending) For(operation string) *Ending {
	a.OperationID = operation
	return a
}

// With sets the line about effects.
func (a *Ending) With(effects string) *Ending {
	a.Effects = effects
	return a
}
