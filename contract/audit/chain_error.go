package audit

import (
	"errors"
	"fmt"
)

// ErrBroken matches, with [errors.Is], every [ChainError].
var ErrBroken = errors.New("audit: the log is broken")

// A ChainError says where the chain of a log breaks first, and how. Nothing from there on is vouched for.
type ChainError struct {
	// Line is the number of the line, counted from 1. Where a record does not agree with the torn lines
	// before it, it is the first of those. For [Cut] it is the last line, 0 in an empty log. It is 0, too,
	// where it is not known, for [OpenFile] reads the end of a long log only; [Verify] finds it.
	Line int
	// Fault is what is wrong there.
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
