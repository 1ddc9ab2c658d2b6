package risk

import "github.com/toolcontract/toolcontract/internal/enum"

// An Effect is the kind of change that a call of a tool makes. The zero value
// means that no effect was declared. It behaves as [Destructive].
type Effect uint8

const (
	// ReadOnly changes nothing.
	ReadOnly Effect = iota + 1
	// LowRiskWrite creates or changes data within narrow bounds.
	LowRiskWrite
	// HighRiskWrite changes data that matters to others.
	HighRiskWrite
	// ExternalPublication sends or shows something outside the organisation.
	ExternalPublication
	// PaidOperation spends money.
	PaidOperation
	// Destructive deletes, or changes data beyond recovery.
	Destructive
)

var effects = enum.Of[Effect]("risk", "effect", "",
	"read-only", "low-risk-write", "high-risk-write", "external-publication", "paid-operation", "destructive")

// IsValid reports whether e is a declared effect, ReadOnly to Destructive.
func (e Effect) IsValid() bool { return effects.IsValid(e) }

// Effective returns e if it is declared, else Destructive.
func (e Effect) Effective() Effect {
	if e.IsValid() {
		return e
	}
	return Destructive
}

// AtLeast reports whether e is at least as high as threshold. Each is compared
// by its [Effect.Effective].
func (e Effect) AtLeast(threshold Effect) bool { return e.Effective() >= threshold.Effective() }

// Floor returns the lowest level that a tool with this effect can have: Low for
// ReadOnly and LowRiskWrite, High for HighRiskWrite, Critical for every other
// effect and for an undeclared one.
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

// DefaultLevel returns the level of a tool that declares only this effect:
// Medium for LowRiskWrite, else [Effect.Floor].
func (e Effect) DefaultLevel() Level {
	if e == LowRiskWrite {
		return Medium
	}
	return e.Floor()
}

// String returns the effect's text, "undeclared" for the zero value, and a form
// such as "effect(42)" for a number that is not an effect.
func (e Effect) String() string { return effects.String(e) }

// GoString returns the type and the text of e, for test failures.
func (e Effect) GoString() string { return effects.GoString(e) }

// MarshalText returns the effect's text. An undeclared effect is an error,
// because a document leaves the field out; so is a number that is not an
// effect.
func (e Effect) MarshalText() ([]byte, error) { return effects.Marshal(e) }

// UnmarshalText sets e from an effect's text. Any other text, including
// "undeclared" and other cases, is an error that lists the allowed ones and
// leaves e unchanged.
func (e *Effect) UnmarshalText(text []byte) error { return effects.Unmarshal(e, text) }
