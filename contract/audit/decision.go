package audit

import "github.com/toolcontract/toolcontract/internal/enum"

// A Decision is the guard's treatment of a call. The zero value is
// [UndeclaredDecision].
type Decision uint8

const (
	// UndeclaredDecision means that nothing was decided yet. It has no text,
	// and an event leaves it out.
	UndeclaredDecision Decision = iota
	// Allow means that the handler ran, or is about to run.
	Allow
	// Deny means that the call was refused and the handler did not run.
	Deny
	// Ask means that a person was asked first.
	Ask
	// Replay means that the recorded outcome of an earlier call was returned,
	// and the handler did not run.
	Replay
	// DryRun means that a preview was returned, and the handler did not run.
	DryRun
)

var decisions = enum.Of[Decision]("audit", "decision", "", "allow", "deny", "ask", "replay", "dry-run")

// IsValid reports whether d is a declared decision, Allow to DryRun.
func (d Decision) IsValid() bool { return decisions.IsValid(d) }

// IsZero reports whether d is [UndeclaredDecision]. With it, `json:",omitzero"`
// leaves the field out.
func (d Decision) IsZero() bool { return d == UndeclaredDecision }

// String returns the decision's text, "undeclared" for the zero value, and a
// form such as "decision(42)" for a number that is not a decision.
func (d Decision) String() string { return decisions.String(d) }

// MarshalText returns the decision's text. An undeclared decision has none,
// because an event leaves it out; it and a number that is not a decision are
// errors.
func (d Decision) MarshalText() ([]byte, error) { return decisions.Marshal(d) }

// UnmarshalText sets d from a decision's text. Any other text, in another case
// or "undeclared" too, is an error that lists the allowed ones and leaves d
// unchanged.
func (d *Decision) UnmarshalText(text []byte) error { return decisions.Unmarshal(d, text) }
