package audit

import "github.com/toolcontract/toolcontract/internal/enum"

// A Fault is the kind of damage at the line where the chain of a log breaks.
// The zero value is [UndeclaredFault].
type Fault uint8

const (
	// UndeclaredFault is the zero value. It has no text.
	UndeclaredFault Fault = iota
	// Malformed means that a line is neither a record nor the torn beginning of
	// one, or that the next record does not account for a torn one.
	Malformed
	// Changed means that a record's hash does not match its bytes.
	Changed
	// Missing means that the record before this one is not in the log. A record
	// that is repeated at the end of the log reads the same.
	Missing
	// Misplaced means that a record is out of order, or is repeated before
	// others.
	Misplaced
	// Cut means that the log ends without the record that was its head.
	Cut
)

var faults = enum.Of[Fault]("audit", "fault", "", "malformed", "changed", "missing", "misplaced", "cut")

// IsValid reports whether f is a declared fault, Malformed to Cut.
func (f Fault) IsValid() bool { return faults.IsValid(f) }

// String returns the fault's text, "undeclared" for the zero value, and a form
// such as "fault(42)" for a number that is not a fault.
func (f Fault) String() string { return faults.String(f) }

// MarshalText returns the fault's text. An undeclared fault has none: it and a
// number that is not a fault are errors.
func (f Fault) MarshalText() ([]byte, error) { return faults.Marshal(f) }

// UnmarshalText sets f from a fault's text. Any other text, in another case or
// "undeclared" too, is an error that lists the allowed ones and leaves f
// unchanged.
func (f *Fault) UnmarshalText(text []byte) error { return faults.Unmarshal(f, text) }
