package bound

import "time"

// A Verdict is what a system says about an earlier call. The zero value means
// that it does not know.
type Verdict uint8

const (
	// Happened means that the call had its effect.
	Happened Verdict = iota + 1
	// CannotHappen means that the call had no effect and never will.
	CannotHappen
	// DidNotHappen means that the call has had no effect so far.
	DidNotHappen
)

// A Reconciled mirrors contract.Reconciled, without its type parameter.
type Reconciled struct {
	Verdict Verdict
	Out     any // what the handler would have returned; set if Verdict is Happened
	After   time.Duration
}
