package catalog

import "github.com/toolcontract/toolcontract/internal/enum"

// A Status is whether a gateway may serve a tool. The zero value is
// [Quarantined], so that a tool is served only if a catalogue decided so.
type Status uint8

const (
	// Quarantined tools are not served until the operator decides. The problems
	// of the entry have the reason.
	Quarantined Status = iota
	// Served tools can be listed and called.
	Served
	// Vetoed tools are forbidden by the operator.
	Vetoed
	// Gone tools were seen in an earlier cycle and are not listed any more.
	// They are remembered, so that they cannot return with weaker facts.
	Gone
)

var statuses = enum.Of[Status]("catalog", "status", "quarantined", "served", "vetoed", "gone")

// IsValid reports whether s is one of the statuses.
func (s Status) IsValid() bool { return statuses.IsValid(s) }

// String returns the text of s, such as "served".
func (s Status) String() string { return statuses.String(s) }

// MarshalText returns the text of s. A number that is no status is an error.
func (s Status) MarshalText() ([]byte, error) { return statuses.Marshal(s) }

// UnmarshalText sets s from its text. Any other text is an error that lists the
// allowed ones and leaves s unchanged.
func (s *Status) UnmarshalText(text []byte) error { return statuses.Unmarshal(s, text) }
