package bound

import "github.com/toolcontract/toolcontract/internal/schema"

// A Check is a check of an adapter. It gets the tree of valid arguments, which
// it must not change, and returns what the handler would misread.
type Check func(tree any) []schema.Violation

// CheckArguments adds a check of every call's arguments. It runs after the
// schema, before a person is asked.
func CheckArguments(b Reporter, check Check) {
	b.mistakes().checks = append(b.mistakes().checks, check)
}

// LeaveArguments makes the handler get what its caller sent: no default of the
// input schema is filled in.
func LeaveArguments(b Reporter) { b.mistakes().unfilled = true }

// LeavesArguments reports whether LeaveArguments was called.
func LeavesArguments(b Reporter) bool { return b.mistakes().unfilled }

// Checks returns the checks that were added to b.
func Checks(b Reporter) []Check { return b.mistakes().checks }
