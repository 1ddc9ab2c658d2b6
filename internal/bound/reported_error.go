package bound

// A ReportedError is the error of an adapter for a result in which the handler
// reports that the call failed.
type ReportedError struct {
	// Err is the error that the result stands for.
	Err error
	// Content has the items of the result, as []contract.Content. The guard
	// returns the text of Err in place of its texts.
	Content any
	// Structured is its structured content. Nil: none.
	Structured []byte
	// Unread is why a part of the result could not be read. Nil: all parts were
	// read.
	Unread error
}

// Error returns the text of Err.
func (r *ReportedError) Error() string { return r.Err.Error() }

// Unwrap makes the failure below visible to errors.As.
func (r *ReportedError) Unwrap() error { return r.Err }
