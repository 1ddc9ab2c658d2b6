package idempotency

import "github.com/toolcontract/toolcontract/internal/enum"

// OnUnknown decides whether a repeated call runs if the handler may have
// started and its outcome is unknown. The zero value is undeclared, which
// counts as [Refuse] at every risk.
type OnUnknown uint8

const (
	// Refuse answers outcome_unknown until an operator has resolved the record,
	// or the record expires.
	Refuse OnUnknown = iota + 1
	// Rerun runs the handler again. Use it for effects that may happen twice,
	// and for handlers that pass the key on to a system that deduplicates.
	Rerun
)

var onUnknowns = enum.Of[OnUnknown]("idempotency", "onUnknown", "", "refuse", "rerun")

// IsValid reports whether o is a declared choice, Refuse or Rerun.
func (o OnUnknown) IsValid() bool { return onUnknowns.IsValid(o) }

// String returns the choice's text, "undeclared" for the zero value, and a form
// such as "onUnknown(42)" for a number that is not a choice.
func (o OnUnknown) String() string { return onUnknowns.String(o) }

// MarshalText returns the choice's text. An undeclared choice has none, because
// a document leaves the field out; it and a number that is not a choice are
// errors.
func (o OnUnknown) MarshalText() ([]byte, error) { return onUnknowns.Marshal(o) }

// UnmarshalText sets o from a choice's text. Any other text, including
// "undeclared" and other cases, is an error that lists the allowed ones and
// leaves o unchanged.
func (o *OnUnknown) UnmarshalText(text []byte) error { return onUnknowns.Unmarshal(o, text) }
