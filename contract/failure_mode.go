package contract

import "github.com/toolcontract/toolcontract/internal/enum"

// A FailureMode is one line of the complete list of how a tool fails.
type FailureMode struct {
	// Code, Class and Description are those of the failure.
	Code        string `json:"code"`
	Class       Class  `json:"class"`
	Description string `json:"description,omitempty"`
	// By says who answers with it: the tool's handler or the guard around it.
	By By `json:"by"`
	// EffectPossible says that an effect may have happened all the same.
	EffectPossible bool `json:"effectPossible,omitempty"`
}

// A By names who answers with a failure.
type By uint8

const (
	// UndeclaredBy is the zero value.
	UndeclaredBy By = iota
	// ByTool failures are returned by the handler.
	ByTool
	// ByGuard failures are answered by the guard.
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
