package store

import "github.com/toolcontract/toolcontract/internal/enum"

// A Finding is an operator's declaration about an unknown outcome. The zero
// value is [UndeclaredFinding].
type Finding uint8

const (
	// UndeclaredFinding is the zero value. Stores refuse it.
	UndeclaredFinding Finding = iota
	// Happened means that the effect took place: the record becomes Completed,
	// without a result.
	Happened
	// DidNotHappen means that there was no effect: the record is removed, so
	// that the call can be made again.
	DidNotHappen
)

var findings = enum.Of[Finding]("store", "finding", "", "happened", "did not happen")

// IsValid reports whether f is Happened or DidNotHappen.
func (f Finding) IsValid() bool { return findings.IsValid(f) }

// String returns "happened" or "did not happen", "undeclared" for the zero
// value, and a form such as "finding(42)" for an undefined number.
func (f Finding) String() string { return findings.String(f) }
