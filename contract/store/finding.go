package store

import "fmt"

// A Finding is what an operator declares about an unknown outcome. The zero
// value is [UndeclaredFinding].
type Finding uint8

const (
	// UndeclaredFinding is the zero value. Stores refuse it.
	UndeclaredFinding Finding = 0
	// Happened means that the effect took place: the record becomes Completed,
	// without a result.
	Happened Finding = 1
	// DidNotHappen means that there was no effect: the record is removed, so
	// that the call can be made again.
	DidNotHappen Finding = 2
)

// IsValid reports whether f is Happened or DidNotHappen.
func (f Finding) IsValid() bool { return f == Happened || f == DidNotHappen }

// String returns "happened" or "did not happen", "undeclared" for the zero
// value, and a form such as "finding(42)" for an undefined number.
func (f Finding) String() string {
	switch f {
	case UndeclaredFinding:
		return "undeclared"
	case Happened:
		return "happened"
	case DidNotHappen:
		return "did not happen"
	default:
		return fmt.Sprintf("finding(%d)", uint8(f))
	}
}
