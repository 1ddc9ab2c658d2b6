package risk

import (
	"errors"
	"fmt"
)

// An Effect says what a call of a tool does to the world. The zero value is [UndeclaredEffect].
type Effect uint8

const (
	// UndeclaredEffect means that nothing was said. It behaves as Destructive and has no text.
	UndeclaredEffect Effect = 0
	// ReadOnly changes nothing.
	ReadOnly Effect = 1
	// LowRiskWrite creates or changes data within narrow bounds.
	LowRiskWrite Effect = 2
	// HighRiskWrite changes what matters to others.
	HighRiskWrite Effect = 3
	// ExternalPublication sends or shows something outside the organisation.
	ExternalPublication Effect = 4
	// PaidOperation spends money.
	PaidOperation Effect = 5
	// Destructive deletes, or changes beyond recovery.
	Destructive Effect = 6
)

// Effects returns the declared effects from ReadOnly to Destructive, in a slice that belongs to the
// caller.
func Effects() []Effect {
	return []Effect{ReadOnly, LowRiskWrite, HighRiskWrite, ExternalPublication, PaidOperation, Destructive}
}

// IsValid reports whether e is a declared effect, ReadOnly to Destructive.
func (e Effect) IsValid() bool { return e >= ReadOnly && e <= Destructive }

// IsZero reports whether e is [UndeclaredEffect]. It makes `json:",omitzero"` leave the field out.
func (e Effect) IsZero() bool { return e == UndeclaredEffect }

// Effective returns the effect that counts: e where it is declared, else Destructive.
func (e Effect) Effective() Effect {
	if e.IsValid() {
		return e
	}
	return Destructive
}

// AtLeast reports whether e is at least as grave as threshold, both taken as their [Effect.Effective].
func (e Effect) AtLeast(threshold Effect) bool { return e.Effective() >= threshold.Effective() }

// Floor returns the level that a tool with this effect cannot go below: Low for ReadOnly and
// LowRiskWrite, High for HighRiskWrite, Critical for every other effect and for an undeclared one.
func (e Effect) Floor() Level {
	switch e.Effective() {
	case ReadOnly, LowRiskWrite:
		return Low
	case HighRiskWrite:
		return High
	default:
		return Critical
	}
}

// DefaultLevel returns the level of a tool that declares only this effect: Medium for LowRiskWrite, else
// [Effect.Floor].
func (e Effect) DefaultLevel() Level {
	if e == LowRiskWrite {
		return Medium
	}
	return e.Floor()
}

// String returns the effect's text, "undeclared" for the zero value, and a form such as "effect(42)" for
// a number that is no effect.
func (e Effect) String() string {
	switch e {
	case UndeclaredEffect:
		return "undeclared"
	case ReadOnly:
		return "read-only"
	case LowRiskWrite:
		return "low-risk-write"
	case HighRiskWrite:
		return "high-risk-write"
	case ExternalPublication:
		return "external-publication"
	case PaidOperation:
		return "paid-operation"
	case Destructive:
		return "destructive"
	default:
		return fmt.Sprintf("effect(%d)", uint8(e))
	}
}

// MarshalText returns the effect's text. An undeclared effect has none, for a document leaves the field
// out; it and a number that is no effect are errors.
func (e Effect) MarshalText() ([]byte, error) {
	if !e.IsValid() {
		return nil, fmt.Errorf("risk: effect %v has no text form", e)
	}
	return []byte(e.String()), nil
}

// UnmarshalText sets e from an effect's text. Any other text, also another case of it and "undeclared",
// is an error that lists the allowed ones and leaves e unchanged.
func (e *Effect) UnmarshalText(text []byte) error {
	switch string(text) {
	case "read-only":
		*e = ReadOnly
	case "low-risk-write":
		*e = LowRiskWrite
	case "high-risk-write":
		*e = HighRiskWrite
	case "external-publication":
		*e = ExternalPublication
	case "paid-operation":
		*e = PaidOperation
	case "destructive":
		*e = Destructive
	default:
		return errors.New("risk: unknown effect: allowed are read-only, low-risk-write, high-risk-write, external-publication, paid-operation, destructive")
	}
	return nil
}
