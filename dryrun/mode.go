package dryrun

import "github.com/toolcontract/toolcontract/internal/enum"

// A Mode declares whether a tool offers a dry run. The zero value is
// undeclared: like [None], it offers no dry run.
type Mode uint8

const (
	// None means that there is no dry run.
	None Mode = iota + 1
	// Supported means that a caller may request a dry run.
	Supported
	// Required means that a real call is accepted only after a recent dry run
	// by the same principal with the same arguments. Each dry run allows one
	// call.
	Required
)

var modes = enum.Of[Mode]("dryrun", "mode", "", "none", "supported", "required")

// IsValid reports whether m is a declared mode, None to Required.
func (m Mode) IsValid() bool { return modes.IsValid(m) }

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
