package operation

import "time"

// LookupTool is the default name of the tool that looks up operations.
const LookupTool = "operations_get"

// A State is how far an operation has come, as its caller may know it.
type State string

// The states of an operation.
const (
	// Running means that the call has not ended.
	Running State = "running"
	// Ended means that the call is over, and may have had its effect.
	Ended State = "ended"
	// Succeeded means that the call had its effect.
	Succeeded State = "succeeded"
	// Failed means that the call ended without an effect.
	Failed State = "failed"
	// NotDone means that the call certainly had no effect. A repeated call runs.
	NotDone State = "did_not_happen"
	// Unknown means that nothing certain is known.
	Unknown State = "unknown"
)

// A Status is what a caller may know about an operation. One without a Tool is
// [Unknown] and has nothing else.
type Status struct {
	State      State
	Tool       string        // the name of the tool. Empty: the caller has no such operation
	Began      time.Time     // zero: not known
	Ended      time.Time     // zero: not known
	RetryAfter time.Duration // when to look again, or to repeat the call. Zero: not said
	// Advice is a text for the model. Empty: none.
	Advice string
}
