package contracttest

import (
	"errors"
	"fmt"
)

// A Severity says what a [Finding] means for a test. The zero value is [UndeclaredSeverity].
type Severity uint8

const (
	// UndeclaredSeverity is the zero value. No rule has it, it has no text, and [Report.Assert] treats it as Error.
	UndeclaredSeverity Severity = 0
	// Info is worth knowing, and often meant so.
	Info Severity = 1
	// Warning is a gap that callers, hosts or tool directories will meet. It does not fail a test.
	Warning Severity = 2
	// Error is a clause left to the worst case, or a contradiction between tools. It fails a test.
	Error Severity = 3
)

// IsValid reports whether s is one of the severities.
func (s Severity) IsValid() bool { return s >= Info && s <= Error }

// IsZero reports whether s is undeclared.
func (s Severity) IsZero() bool { return s == UndeclaredSeverity }

// String returns the text of s, "undeclared" for the zero value, and a form such as "severity(42)" for a number that is
// no severity.
func (s Severity) String() string {
	switch s {
	case UndeclaredSeverity:
		return "undeclared"
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Error:
		return "error"
	default:
		return fmt.Sprintf("severity(%d)", uint8(s))
	}
}

// MarshalText returns the text of s. A severity that is undeclared or unknown has none: an error.
func (s Severity) MarshalText() ([]byte, error) {
	if !s.IsValid() {
		return nil, fmt.Errorf("contracttest: %v has no text form", s)
	}
	return []byte(s.String()), nil
}

// UnmarshalText sets s from a severity's text. Any other text, also another case of it, is an error that lists the
// allowed ones and leaves s unchanged.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, known := range []Severity{Info, Warning, Error} {
		if string(text) == known.String() {
			*s = known
			return nil
		}
	}
	return errors.New("contracttest: unknown severity: allowed are info, warning, error")
}
