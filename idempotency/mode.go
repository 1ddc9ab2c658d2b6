package idempotency

import "github.com/toolcontract/toolcontract/internal/enum"

// A Mode declares which party makes a repeated call harmless: none, the handler
// or the guard. The zero value means that no mode was declared. It promises
// nothing, as [None] does.
type Mode uint8

const (
	// None means that a repeated call has its effect again.
	None Mode = iota + 1
	// Native means that the handler itself guarantees that a repeated call
	// changes nothing more.
	Native
	// Managed means that calls with the same key are deduplicated before they
	// reach the handler, and the recorded outcome is replayed. Every call has a
	// key.
	Managed
	// Keyed means that a call with a client's idempotency key is deduplicated
	// as in mode Managed. A call without a key always runs.
	Keyed
)

var modes = enum.Of[Mode]("idempotency", "mode", "", "none", "native", "managed", "keyed")

// IsValid reports whether m is a declared mode, None to Keyed.
func (m Mode) IsValid() bool { return modes.IsValid(m) }

// Deduplicates reports whether the guard deduplicates calls: all of them
// (Managed), or those with a client's key (Keyed).
func (m Mode) Deduplicates() bool { return m == Managed || m == Keyed }

// String returns the mode's text, "undeclared" for the zero value, and a form
// such as "mode(42)" for a number that is not a mode.
func (m Mode) String() string { return modes.String(m) }

// MarshalText returns the mode's text. An undeclared mode has none, because a
// document leaves the field out; it and a number that is not a mode are errors.
func (m Mode) MarshalText() ([]byte, error) { return modes.Marshal(m) }

// UnmarshalText sets m from a mode's text. Any other text, including
// "undeclared" and other cases, is an error that lists the allowed ones and
// leaves m unchanged.
func (m *Mode) UnmarshalText(text []byte) error { return modes.Unmarshal(m, text) }
