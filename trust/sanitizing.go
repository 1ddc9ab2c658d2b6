package trust

import "github.com/toolcontract/toolcontract/internal/enum"

// A Sanitizing selects what [Sanitize] cleans in a tool's results. Texts of
// errors, previews, questions and _meta are always cleaned. The zero value
// counts as SanitizeAlways.
type Sanitizing uint8

const (
	// SanitizeAlways cleans texts and structured content.
	SanitizeAlways Sanitizing = iota + 1
	// SanitizeText cleans texts, including the text of structured content. The
	// structured content stays exact, for programs that need a password, a log
	// or a file as it is.
	SanitizeText
	// SanitizeNever leaves every result as it is. Characters that hide text or
	// control a terminal then reach the model and its user.
	SanitizeNever
)

var sanitizings = enum.Of[Sanitizing]("trust", "sanitizing", "", "always", "text", "never")

// IsValid reports whether s is declared, SanitizeAlways to SanitizeNever.
func (s Sanitizing) IsValid() bool { return sanitizings.IsValid(s) }

// Effective returns s if it is declared, and SanitizeAlways otherwise.
func (s Sanitizing) Effective() Sanitizing {
	if s.IsValid() {
		return s
	}
	return SanitizeAlways
}

// String returns the text of s, "undeclared" for the zero value.
func (s Sanitizing) String() string { return sanitizings.String(s) }

// MarshalText returns the text of s. An undeclared or unknown value is an
// error, because a document leaves an undeclared clause out.
func (s Sanitizing) MarshalText() ([]byte, error) { return sanitizings.Marshal(s) }

// UnmarshalText sets s from its text. Any other text is an error and leaves s
// unchanged.
func (s *Sanitizing) UnmarshalText(text []byte) error { return sanitizings.Unmarshal(s, text) }
