package store

import "fmt"

// A State is how far the execution behind a [Record] has come. The zero value
// is [UndeclaredState].
type State uint8

const (
	// UndeclaredState is the state of the zero Record, which means that there
	// is none.
	UndeclaredState State = 0
	// InProgress means that an owner holds the record. When the lease of a
	// started execution is over its outcome is unknown; see
	// [Record.IsAbandoned].
	InProgress State = 1
	// Completed means that the execution succeeded.
	Completed State = 2
	// Failed means that the execution ended in a failure that is final.
	Failed State = 3
	// Unknown means that the execution may or may not have had its effect.
	Unknown State = 4
)

// IsZero reports whether s is [UndeclaredState].
func (s State) IsZero() bool { return s == UndeclaredState }

// IsFinished reports whether s is Completed or Failed, the states with a
// recorded outcome.
func (s State) IsFinished() bool { return s == Completed || s == Failed }

// String returns "in_progress", "completed", "failed" or "unknown",
// "undeclared" for the zero value, and a form such as "state(42)" for an
// undefined number.
func (s State) String() string {
	switch s {
	case UndeclaredState:
		return "undeclared"
	case InProgress:
		return "in_progress"
	case Completed:
		return "completed"
	case Failed:
		return "failed"
	case Unknown:
		return "unknown"
	default:
		return fmt.Sprintf("state(%d)", uint8(s))
	}
}
