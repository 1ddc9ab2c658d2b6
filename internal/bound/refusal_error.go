package bound

// A RefusalError is the error of an adapter that wraps a handler of another
// form. It means that the contract has no answer for the handler's result. The
// guard answers with Code, and [Tool.OtherErrors] does not apply.
type RefusalError struct {
	// Code is the code of the answer. It is one of the guard's own codes.
	Code string
	// Err is the reason. It is only for the audit log.
	Err error
}

// Error returns the text of Err.
func (r *RefusalError) Error() string { return r.Err.Error() }

// Unwrap returns Err.
func (r *RefusalError) Unwrap() error { return r.Err }
