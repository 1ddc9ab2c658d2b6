package store

import "github.com/toolcontract/toolcontract/internal/enum"

// A State is how far the execution behind a [Record] has come. The zero value
// is [UndeclaredState]. Stores may keep its number, which does not change.
type State uint8

const (
	// UndeclaredState is the state of the zero Record, which means that there
	// is none.
	UndeclaredState State = iota
	// InProgress means that an owner holds the record. When the lease of a
	// started execution is over its outcome is unknown; see
	// [Record.IsAbandoned].
	InProgress
	// Completed means that the execution had its effect.
	Completed
	// Failed means that the execution failed without an effect. The failure is
	// final for the same arguments. A claim with other arguments can replace
	// the record; see [Claim.Replaces].
	Failed
	// Unknown means that the execution may or may not have had its effect.
	Unknown
)

var states = enum.Of[State]("store", "state", "", "in_progress", "completed", "failed", "unknown")

// IsZero reports whether s is [UndeclaredState].
func (s State) IsZero() bool { return s == UndeclaredState }

// IsFinished reports whether s is Completed or Failed, the states with a
// recorded outcome.
func (s State) IsFinished() bool { return s == Completed || s == Failed }

// String returns "in_progress", "completed", "failed" or "unknown",
// "undeclared" for the zero value, and a form such as "state(42)" for an
// undefined number.
func (s State) String() string { return states.String(s) }
