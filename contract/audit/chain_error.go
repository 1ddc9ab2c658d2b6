package audit

import (
	"errors"
	"fmt"
)

// ErrBroken matches, with [errors.Is], every [ChainError].
var ErrBroken = errors.New("audit: the log is broken")

// A ChainError is the first break in the chain of a log. Nothing after it is
// verified.
type ChainError struct {
	// Line counts from 1. If a record does not match the torn lines before it,
	// Line is the first of those. For [Cut] it is the last line, and 0 in an
	// empty log. It is also 0 in errors of [OpenFile], which reads only the end
	// of a long log; [Verify] finds the line.
	Line int
	// Fault is the kind of break.
	Fault Fault
}

// Error returns a form such as "audit: line 7: the record was changed".
func (e *ChainError) Error() string {
	switch {
	case e.Fault == Cut:
		return fmt.Sprintf("audit: the log ends after line %d without the head: records are missing", e.Line)
	case e.Line == 0:
		return "audit: near the end of the log: " + e.what()
	default:
		return fmt.Sprintf("audit: line %d: %s", e.Line, e.what())
	}
}

// Is reports whether target is [ErrBroken].
func (e *ChainError) Is(target error) bool { return target == ErrBroken }

func (e *ChainError) what() string {
	switch e.Fault {
	case Malformed:
		return "this is no record"
	case Changed:
		return "the record was changed"
	case Missing:
		return "records before it are missing"
	case Misplaced:
		return "the record stands out of its order"
	default:
		return "the chain breaks: " + e.Fault.String()
	}
}
