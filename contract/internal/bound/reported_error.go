package bound

// A ReportedError is the error of an adapter for a result in which the handler
// reports that the call failed.
type ReportedError struct{ Err error }

// Error returns the text of Err.
func (r *ReportedError) Error() string { return r.Err.Error() }

// Unwrap returns Err.
func (r *ReportedError) Unwrap() error { return r.Err }
