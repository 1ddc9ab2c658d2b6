package audit

import (
	"errors"
	"fmt"
)

// A Kind says at which point of a call an event was written. The zero value is [UndeclaredKind].
type Kind uint8

const (
	// UndeclaredKind means that nothing was said. No event that is written has it, and it has no text.
	UndeclaredKind Kind = 0
	// Intent is written before the handler may start.
	Intent Kind = 1
	// Asked is written when a person was asked, and the call waits for the answer.
	Asked Kind = 2
	// Terminal is written when a call has ended. There is at most one for a call id.
	Terminal Kind = 3
	// Late is written when a handler ended after the terminal event of its call.
	Late Kind = 4
)

// Kinds returns the declared kinds from Intent to Late, in a slice that belongs to the caller.
func Kinds() []Kind { return []Kind{Intent, Asked, Terminal, Late} }

// IsValid reports whether k is a declared kind, Intent to Late.
func (k Kind) IsValid() bool { return k >= Intent && k <= Late }

// String returns the kind's text, "undeclared" for the zero value, and a form such as "kind(42)" for a
// number that is no kind.
func (k Kind) String() string {
	switch k {
	case UndeclaredKind:
		return "undeclared"
	case Intent:
		return "intent"
	case Asked:
		return "asked"
	case Terminal:
		return "terminal"
	case Late:
		return "late"
	default:
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
}

// MarshalText returns the kind's text. An undeclared kind has none: it and a number that is no kind are
// errors, for an event without a kind means nothing.
func (k Kind) MarshalText() ([]byte, error) {
	if !k.IsValid() {
		return nil, fmt.Errorf("audit: kind %v has no text form", k)
	}
	return []byte(k.String()), nil
}

// UnmarshalText sets k from a kind's text. Any other text, also another case of it and "undeclared", is
// an error that lists the allowed ones and leaves k unchanged.
func (k *Kind) UnmarshalText(text []byte) error {
	switch string(text) {
	case "intent":
		*k = Intent
	case "asked":
		*k = Asked
	case "terminal":
		*k = Terminal
	case "late":
		*k = Late
	default:
		return errors.New("audit: unknown kind: allowed are intent, asked, terminal, late")
	}
	return nil
}
