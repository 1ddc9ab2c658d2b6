package contracttest

import "slices"

// A Severity decides whether a [Finding] fails a test. A finding of an unknown
// severity does.
type Severity string

const (
	// Info findings are worth knowing, and often intended.
	Info Severity = "info"
	// Warning findings are gaps that callers, hosts or tool directories will
	// meet. They do not fail a test.
	Warning Severity = "warning"
	// Error findings are clauses left to the worst case, and contradictions
	// between tools. They fail a test.
	Error Severity = "error"
)

// grave returns the place of s among the severities, the gravest first.
func (s Severity) grave() int { return slices.Index([]Severity{Error, Warning, Info}, s) }
