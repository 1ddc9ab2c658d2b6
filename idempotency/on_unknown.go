package idempotency

import (
	"errors"
	"fmt"
)

// OnUnknown says what a repeated call does where the handler may have started and nobody knows how it
// ended. The zero value is [UndeclaredOnUnknown].
type OnUnknown uint8

const (
	// UndeclaredOnUnknown means that nothing was said: the tool's risk decides, Refuse from high up,
	// Rerun below. It has no text.
	UndeclaredOnUnknown OnUnknown = 0
	// Refuse answers outcome_unknown until an operator has resolved the record, or it expires.
	Refuse OnUnknown = 1
	// Rerun runs the handler again. It is for effects that may happen twice, and for handlers that pass
	// the key on to a system that deduplicates.
	Rerun OnUnknown = 2
)

// OnUnknowns returns the declared choices Refuse and Rerun, in a slice that belongs to the caller.
func OnUnknowns() []OnUnknown { return []OnUnknown{Refuse, Rerun} }

// IsValid reports whether o is a declared choice, Refuse or Rerun.
func (o OnUnknown) IsValid() bool { return o == Refuse || o == Rerun }

// IsZero reports whether o is [UndeclaredOnUnknown]. It makes `json:",omitzero"` leave the field out.
func (o OnUnknown) IsZero() bool { return o == UndeclaredOnUnknown }

// String returns the choice's text, "undeclared" for the zero value, and a form such as "onUnknown(42)"
// for a number that is no choice.
func (o OnUnknown) String() string {
	switch o {
	case UndeclaredOnUnknown:
		return "undeclared"
	case Refuse:
		return "refuse"
	case Rerun:
		return "rerun"
	default:
		return fmt.Sprintf("onUnknown(%d)", uint8(o))
	}
}

// MarshalText returns the choice's text. An undeclared choice has none, for a document leaves the field
// out; it and a number that is no choice are errors.
func (o OnUnknown) MarshalText() ([]byte, error) {
	if !o.IsValid() {
		return nil, fmt.Errorf("idempotency: onUnknown %v has no text form", o)
	}
	return []byte(o.String()), nil
}

// UnmarshalText sets o from a choice's text. Any other text, also another case of it and "undeclared",
// is an error that lists the allowed ones and leaves o unchanged.
func (o *OnUnknown) UnmarshalText(text []byte) error {
	switch string(text) {
	case "refuse":
		*o = Refuse
	case "rerun":
		*o = Rerun
	default:
		return errors.New("idempotency: unknown onUnknown: allowed are refuse, rerun")
	}
	return nil
}
