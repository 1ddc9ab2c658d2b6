package agent

import "github.com/toolcontract/toolcontract/internal/enum"

// A Handling is what a host should do with a call. The zero value is
// [UndeclaredHandling].
type Handling uint8

const (
	// UndeclaredHandling is the zero value and counts as [HandleRefuse].
	UndeclaredHandling Handling = iota
	// HandleRun calls without a question of the host. The server may still ask
	// a person.
	HandleRun
	// HandleAsk shows the call to a person, and calls if the person approves.
	HandleAsk
	// HandleAskTyping also has the person type a word.
	HandleAskTyping
	// HandleRefuse does not call.
	HandleRefuse
)

var handlings = enum.Of[Handling]("agent", "handling", "", "run", "ask", "ask-by-typing", "refuse")

// IsValid reports whether h is declared.
func (h Handling) IsValid() bool { return handlings.IsValid(h) }

// IsZero reports whether h is undeclared.
func (h Handling) IsZero() bool { return h == UndeclaredHandling }

// Effective returns the handling that counts: h if it is declared, else
// [HandleRefuse].
func (h Handling) Effective() Handling {
	if h.IsValid() {
		return h
	}
	return HandleRefuse
}

// String returns the wire text of h, "undeclared" for the zero value.
func (h Handling) String() string { return handlings.String(h) }

// MarshalText returns the wire text of h; undeclared is an error.
func (h Handling) MarshalText() ([]byte, error) { return handlings.Marshal(h) }

// UnmarshalText sets h from its wire text. Any other text is an error and
// leaves h unchanged.
func (h *Handling) UnmarshalText(text []byte) error { return handlings.Unmarshal(h, text) }
