package store

import "fmt"

// A State is how far the execution behind a [Record] has come. The zero value is [UndeclaredState].
type State uint8

const (
	// UndeclaredState is the state of the zero Record: there is none.
	UndeclaredState State = 0
	// InProgress means that an owner holds the record. Once the lease is over and the execution had been
	// started, nobody knows how it ended, and the record counts as Unknown.
	InProgress State = 1
	// Completed means that the execution succeeded.
	Completed State = 2
	// Failed means that the execution ended in a failure which repeating cannot help.
	Failed State = 3
	// Unknown means that the execution may or may not have had its effect.
	Unknown State = 4
)

// IsZero reports whether s is [UndeclaredState].
func (s State) IsZero() bool { return s == UndeclaredState }

// IsFinished reports whether s is Completed or Failed: an outcome is on record.
func (s State) IsFinished() bool { return s == Completed || s == Failed }

// String returns "in_progress", "completed", "failed" or "unknown", "undeclared" for the zero value, and
// a form such as "state(42)" for a number that is no state.
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
