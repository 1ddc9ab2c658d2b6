package effectcheck

import "github.com/toolcontract/toolcontract/internal/enum"

// An Answer is whether the source of a tool agrees with its contract. It is
// never a proof. Answers compare with <: a higher one is worse. The zero value
// is no answer.
type Answer uint8

const (
	// UndeclaredAnswer is the zero value. It has no text.
	UndeclaredAnswer Answer = iota
	// Consistent means that no call was found that the contract excludes.
	Consistent
	// Unknown means that a call was found whose effect the source does not
	// show. It is no pass.
	Unknown
	// Contradicted means that a call was found that the contract excludes.
	Contradicted
)

var answers = enum.Of[Answer]("effectcheck", "answer", "", "consistent", "unknown", "contradicted")

// IsValid reports whether a is one of the answers.
func (a Answer) IsValid() bool { return answers.IsValid(a) }

// IsZero reports whether a is undeclared.
func (a Answer) IsZero() bool { return a == UndeclaredAnswer }

// String returns the text of a, "undeclared" for the zero value.
func (a Answer) String() string { return answers.String(a) }

// MarshalText returns the text of a. An undeclared or unknown answer is an
// error.
func (a Answer) MarshalText() ([]byte, error) { return answers.Marshal(a) }

// UnmarshalText sets a from its text. Any other text is an error and leaves a
// unchanged.
func (a *Answer) UnmarshalText(text []byte) error { return answers.Unmarshal(a, text) }
