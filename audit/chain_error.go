package audit

import "fmt"

// The faults of a [ChainError].
const (
	// faultMalformed: a line is neither a record nor the torn beginning of one,
	// or the next record does not account for a torn one.
	faultMalformed = "malformed"
	// faultChanged: a record's hash does not match its bytes.
	faultChanged = "changed"
	// faultMissing: the record before this one is not in the log. A record that
	// is repeated at the end of the log reads the same.
	faultMissing = "missing"
	// faultMisplaced: a record is out of order, or is repeated before others.
	faultMisplaced = "misplaced"
	// faultCut: the log ends without the record that was its head.
	faultCut = "cut"
)

// A ChainError is the first break in the chain of a log. Nothing after it is
// verified.
type ChainError struct {
	// Line counts from 1. If a record does not match the torn lines before it,
	// Line is the first of those. For the fault "cut" it is the last line, and
	// 0 in an empty log. It is also 0 in errors of [OpenFile], which reads only
	// the end of a long log; [Verify] finds the line.
	Line int
	// Fault is the kind of break:
	//   - malformed: the line is not a record
	//   - changed: the record does not match its hash
	//   - missing: the record before this one is not in the log
	//   - misplaced: the record is out of order
	//   - cut: the log ends before its head
	Fault string
}

// Error returns a form such as "audit: line 7: the record was changed".
func (e *ChainError) Error() string {
	switch {
	case e.Fault == faultCut:
		return fmt.Sprintf("audit: the log ends after line %d without the head: records are missing", e.Line)
	case e.Line == 0:
		return "audit: near the end of the log: " + e.what()
	default:
		return fmt.Sprintf("audit: line %d: %s", e.Line, e.what())
	}
}

func (e *ChainError) what() string {
	switch e.Fault {
	case faultMalformed:
		return "this is no record"
	case faultChanged:
		return "the record was changed"
	case faultMissing:
		return "records before it are missing"
	case faultMisplaced:
		return "the record stands out of its order"
	default:
		return "the chain breaks: " + e.Fault
	}
}
