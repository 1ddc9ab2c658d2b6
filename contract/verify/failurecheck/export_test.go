package failurecheck

// Tests compare whole verdicts.
type (
	Verdict = verdict
	Answer  = answer
)

const (
	Unknown      = unknown
	Consistent   = consistent
	Contradicted = contradicted
)

var Inspect = inspect
