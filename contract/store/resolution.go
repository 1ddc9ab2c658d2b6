package store

import "fmt"

// A Resolution is what an operator has found out about an unknown outcome. The zero value is
// [UndeclaredResolution].
type Resolution uint8

const (
	// UndeclaredResolution is the zero value. It resolves nothing, and stores refuse it.
	UndeclaredResolution Resolution = 0
	// Happened means that the effect took place: the record becomes Completed, without a result.
	Happened Resolution = 1
	// DidNotHappen means that there was no effect: the record is removed, so that the call can be made again.
	DidNotHappen Resolution = 2
)

// IsValid reports whether r is Happened or DidNotHappen.
func (r Resolution) IsValid() bool { return r == Happened || r == DidNotHappen }

// String returns "happened" or "did not happen", "undeclared" for the zero value, and a form such as
// "resolution(42)" for a number that is no resolution.
func (r Resolution) String() string {
	switch r {
	case UndeclaredResolution:
		return "undeclared"
	case Happened:
		return "happened"
	case DidNotHappen:
		return "did not happen"
	default:
		return fmt.Sprintf("resolution(%d)", uint8(r))
	}
}
