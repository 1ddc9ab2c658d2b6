package contracttest

import "slices"

// A Severity decides whether a [Finding] fails a test. An unknown severity
// does.
type Severity string

const (
	// Info findings are worth knowing about, and often intended.
	Info Severity = "info"
	// Warning findings are gaps that callers, hosts or tool directories will
	// run into. They do not fail a test.
	Warning Severity = "warning"
	// Error findings are clauses left to the worst case, and contradictions
	// between tools. They fail a test.
	Error Severity = "error"
)

// rank returns the rank of s among the severities, gravest first.
func (s Severity) rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }
