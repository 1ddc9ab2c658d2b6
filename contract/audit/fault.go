package audit

import (
	"errors"
	"fmt"
)

// A Fault says what is wrong with a log at the line where its chain breaks. The zero value is
// [UndeclaredFault].
type Fault uint8

const (
	// UndeclaredFault means that nothing was said. It has no text.
	UndeclaredFault Fault = 0
	// Malformed says that a line is neither a record nor the torn beginning of one, or is a torn one that
	// the record after it does not account for.
	Malformed Fault = 1
	// Changed says that a record's hash is not that of its bytes.
	Changed Fault = 2
	// Missing says that a record follows another than the one before it, which is not in the log. A
	// record that stands a second time at the end of the log reads the same.
	Missing Fault = 3
	// Misplaced says that a record stands out of its order, or a second time before others.
	Misplaced Fault = 4
	// Cut says that the log ends without the record that was its head.
	Cut Fault = 5
)

// Faults returns the declared faults from Malformed to Cut, in a slice that belongs to the caller.
func Faults() []Fault { return []Fault{Malformed, Changed, Missing, Misplaced, Cut} }

// IsValid reports whether f is a declared fault, Malformed to Cut.
func (f Fault) IsValid() bool { return f >= Malformed && f <= Cut }

// String returns the fault's text, "undeclared" for the zero value, and a form such as "fault(42)" for a
// number that is no fault.
func (f Fault) String() string {
	switch f {
	case UndeclaredFault:
		return "undeclared"
	case Malformed:
		return "malformed"
	case Changed:
		return "changed"
	case Missing:
		return "missing"
	case Misplaced:
		return "misplaced"
	case Cut:
		return "cut"
	default:
		return fmt.Sprintf("fault(%d)", uint8(f))
	}
}

// MarshalText returns the fault's text. An undeclared fault has none: it and a number that is no fault
// are errors.
func (f Fault) MarshalText() ([]byte, error) {
	if !f.IsValid() {
		return nil, fmt.Errorf("audit: fault %v has no text form", f)
	}
	return []byte(f.String()), nil
}

// UnmarshalText sets f from a fault's text. Any other text, also another case of it and "undeclared", is
// an error that lists the allowed ones and leaves f unchanged.
func (f *Fault) UnmarshalText(text []byte) error {
	for _, fault := range Faults() {
		if string(text) == fault.String() {
			*f = fault
			return nil
		}
	}
	return errors.New("audit: unknown fault: allowed are malformed, changed, missing, misplaced, cut")
}
