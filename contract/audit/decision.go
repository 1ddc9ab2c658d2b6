package audit

import (
	"errors"
	"fmt"
)

// A Decision says what the guard did with a call. The zero value is [UndeclaredDecision].
type Decision uint8

const (
	// UndeclaredDecision means that nothing was decided yet. It has no text, and an event leaves it out.
	UndeclaredDecision Decision = 0
	// Allow says that the handler ran, or is about to.
	Allow Decision = 1
	// Deny says that the call was refused and the handler did not run.
	Deny Decision = 2
	// Ask says that a person was asked first.
	Ask Decision = 3
	// Replay says that the recorded outcome of an earlier call was given, and the handler did not run.
	Replay Decision = 4
	// DryRun says that a preview was given, and the handler did not run.
	DryRun Decision = 5
)

// Decisions returns the declared decisions from Allow to DryRun, in a slice that belongs to the caller.
func Decisions() []Decision { return []Decision{Allow, Deny, Ask, Replay, DryRun} }

// IsValid reports whether d is a declared decision, Allow to DryRun.
func (d Decision) IsValid() bool { return d >= Allow && d <= DryRun }

// IsZero reports whether d is [UndeclaredDecision]. It makes `json:",omitzero"` leave the field out.
func (d Decision) IsZero() bool { return d == UndeclaredDecision }

// String returns the decision's text, "undeclared" for the zero value, and a form such as "decision(42)"
// for a number that is no decision.
func (d Decision) String() string {
	switch d {
	case UndeclaredDecision:
		return "undeclared"
	case Allow:
		return "allow"
	case Deny:
		return "deny"
	case Ask:
		return "ask"
	case Replay:
		return "replay"
	case DryRun:
		return "dry-run"
	default:
		return fmt.Sprintf("decision(%d)", uint8(d))
	}
}

// MarshalText returns the decision's text. An undeclared decision has none, for an event leaves it out;
// it and a number that is no decision are errors.
func (d Decision) MarshalText() ([]byte, error) {
	if !d.IsValid() {
		return nil, fmt.Errorf("audit: decision %v has no text form", d)
	}
	return []byte(d.String()), nil
}

// UnmarshalText sets d from a decision's text. Any other text, also another case of it and "undeclared",
// is an error that lists the allowed ones and leaves d unchanged.
func (d *Decision) UnmarshalText(text []byte) error {
	switch string(text) {
	case "allow":
		*d = Allow
	case "deny":
		*d = Deny
	case "ask":
		*d = Ask
	case "replay":
		*d = Replay
	case "dry-run":
		*d = DryRun
	default:
		return errors.New("audit: unknown decision: allowed are allow, deny, ask, replay, dry-run")
	}
	return nil
}
