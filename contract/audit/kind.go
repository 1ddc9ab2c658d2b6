package audit

import "github.com/toolcontract/toolcontract/internal/enum"

// A Kind is the point of a call at which an event was written. The zero value
// is [UndeclaredKind].
type Kind uint8

const (
	// UndeclaredKind is the zero value. No written event has it, and it has no
	// text.
	UndeclaredKind Kind = iota
	// Intent is written before the handler may start.
	Intent
	// Asked is written when a person was asked and the call waits for the
	// answer.
	Asked
	// Terminal is written when a call has ended. There is at most one for a
	// call id.
	Terminal
	// Late is written when a handler returned after the terminal event of its
	// call.
	Late
)

var kinds = enum.Of[Kind]("audit", "kind", "", "intent", "asked", "terminal", "late")

// IsValid reports whether k is a declared kind, Intent to Late.
func (k Kind) IsValid() bool { return kinds.IsValid(k) }

// String returns the kind's text, "undeclared" for the zero value, and a form
// such as "kind(42)" for a number that is not a kind.
func (k Kind) String() string { return kinds.String(k) }

// MarshalText returns the kind's text. An undeclared kind has none, because an
// event without a kind means nothing; it and a number that is not a kind are
// errors.
func (k Kind) MarshalText() ([]byte, error) { return kinds.Marshal(k) }

// UnmarshalText sets k from a kind's text. Any other text, in another case or
// "undeclared" too, is an error that lists the allowed ones and leaves k
// unchanged.
func (k *Kind) UnmarshalText(text []byte) error { return kinds.Unmarshal(k, text) }
