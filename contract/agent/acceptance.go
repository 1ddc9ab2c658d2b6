package agent

import "github.com/toolcontract/toolcontract/internal/enum"

// An Acceptance names the declarations of a server that let a call run without
// a person. The zero value accepts none.
type Acceptance uint8

const (
	// AcceptNothing is the zero value: a person is asked before every call.
	AcceptNothing Acceptance = iota
	// AcceptContracts lets contracts decide. A person is asked before every
	// call of a tool without a contract.
	AcceptContracts
	// AcceptHints also lets the hints of tools without a contract decide. A
	// hint is a claim that nothing enforces: use it only for servers that you
	// run or have reviewed.
	AcceptHints
)

var acceptances = enum.Of[Acceptance]("agent", "acceptance", "nothing", "contracts", "hints")

// IsValid reports whether a is declared. An undeclared number counts as
// [AcceptNothing].
func (a Acceptance) IsValid() bool { return acceptances.IsValid(a) }

// String returns the wire text of a.
func (a Acceptance) String() string { return acceptances.String(a) }

// MarshalText returns the wire text of a. A number that is not an acceptance is
// an error.
func (a Acceptance) MarshalText() ([]byte, error) { return acceptances.Marshal(a) }

// UnmarshalText sets a from its wire text. Any other text is an error and
// leaves a unchanged.
func (a *Acceptance) UnmarshalText(text []byte) error { return acceptances.Unmarshal(a, text) }
