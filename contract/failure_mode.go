package contract

import "github.com/toolcontract/toolcontract/internal/enum"

// A FailureMode is one entry of the complete list of a tool's failures.
type FailureMode struct {
	// Code, Class and Description are those of the failure.
	Code        string `json:"code"`
	Class       Class  `json:"class"`
	Description string `json:"description,omitempty"`
	// By names the source of the failure: the tool's handler or the guard.
	By By `json:"by"`
	// EffectPossible is true if the call may have had an effect although it
	// failed.
	EffectPossible bool `json:"effectPossible,omitempty"`
}

// A By names the source of a failure.
type By uint8

const (
	// UndeclaredBy is the zero value.
	UndeclaredBy By = iota
	// ByTool failures are returned by the handler.
	ByTool
	// ByGuard failures are returned by the guard.
	ByGuard
)

var bys = enum.Of[By]("contract", "by", "", "tool", "guard")

// IsZero reports whether b is undeclared.
func (b By) IsZero() bool { return b == UndeclaredBy }

// String returns the wire text of b, "undeclared" for the zero value.
func (b By) String() string { return bys.String(b) }

// MarshalText returns the wire text of b; undeclared is an error.
func (b By) MarshalText() ([]byte, error) { return bys.Marshal(b) }

// UnmarshalText sets b from its wire text. Any other text is an error and
// leaves b unchanged.
func (b *By) UnmarshalText(text []byte) error { return bys.Unmarshal(b, text) }
