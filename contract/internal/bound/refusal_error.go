package bound

import "github.com/toolcontract/toolcontract/contract/internal/schema"

// A RefusalError is the error of an adapter between the guard and a handler of
// another shape, where what the handler did has no place in the contract. The
// guard answers with Code, one of its own codes; OtherErrors does not apply.
type RefusalError struct {
	// Code is the guard's code to answer with.
	Code string
	// Violations are told to the caller where Code is invalid_input. They say
	// that the author's handler was not called.
	Violations []schema.Violation
	// Err says why, for the audit log alone.
	Err error
}

// Error returns the text of Err.
func (r *RefusalError) Error() string { return r.Err.Error() }

// Unwrap returns Err.
func (r *RefusalError) Unwrap() error { return r.Err }
