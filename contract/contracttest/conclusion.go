package contracttest

import "github.com/toolcontract/toolcontract/internal/enum"

// A Conclusion is what [Verify] concludes about one claim of a contract. There
// is no proof among the conclusions: a handler that does what its contract
// declares in a few calls may do something else in others. The zero value is
// [UndeclaredConclusion].
type Conclusion uint8

const (
	// UndeclaredConclusion is the zero value. It has no text.
	UndeclaredConclusion Conclusion = iota
	// Consistent means that the claim was observed and nothing contradicts it.
	Consistent
	// Unknown means that nothing was observed, or that no witness sees enough.
	// It never counts as a pass.
	Unknown
	// Contradicted means that a call did what the claim excludes.
	Contradicted
)

var conclusions = enum.Of[Conclusion]("contracttest", "conclusion", "", "consistent", "unknown", "contradicted")

// IsValid reports whether c is one of the conclusions.
func (c Conclusion) IsValid() bool { return conclusions.IsValid(c) }

// IsZero reports whether c is undeclared.
func (c Conclusion) IsZero() bool { return c == UndeclaredConclusion }

// String returns the text of c, "undeclared" for the zero value, and a form
// such as "conclusion(42)" for a number that is not a conclusion.
func (c Conclusion) String() string { return conclusions.String(c) }

// MarshalText returns the text of c. An undeclared or unknown conclusion is an
// error.
func (c Conclusion) MarshalText() ([]byte, error) { return conclusions.Marshal(c) }

// UnmarshalText sets c from a conclusion's text. Any other text is an error
// that lists the allowed ones and leaves c unchanged.
func (c *Conclusion) UnmarshalText(text []byte) error { return conclusions.Unmarshal(c, text) }
