package contracttest

import "github.com/toolcontract/toolcontract/internal/enum"

// A Severity decides whether a [Finding] fails a test. The zero value is
// [UndeclaredSeverity].
type Severity uint8

const (
	// UndeclaredSeverity is the zero value. No rule has it, it has no text, and
	// [Report.Assert] treats it as Error.
	UndeclaredSeverity Severity = iota
	// Info findings are worth knowing, and often intended.
	Info
	// Warning findings are gaps that callers, hosts or tool directories will
	// meet. They do not fail a test.
	Warning
	// Error findings are clauses left to the worst case, and contradictions
	// between tools. They fail a test.
	Error
)

var severities = enum.Of[Severity]("contracttest", "severity", "", "info", "warning", "error")

// IsValid reports whether s is one of the severities.
func (s Severity) IsValid() bool { return severities.IsValid(s) }

// IsZero reports whether s is undeclared.
func (s Severity) IsZero() bool { return s == UndeclaredSeverity }

// String returns the text of s, "undeclared" for the zero value, and a form
// such as "severity(42)" for a number that is not a severity.
func (s Severity) String() string { return severities.String(s) }

// MarshalText returns the text of s. An undeclared or unknown severity is an
// error.
func (s Severity) MarshalText() ([]byte, error) { return severities.Marshal(s) }

// UnmarshalText sets s from a severity's text. Any other text, in another case
// too, is an error that lists the allowed ones and leaves s unchanged.
func (s *Severity) UnmarshalText(text []byte) error { return severities.Unmarshal(s, text) }
