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
	// failed. Of the guard's failures it is true for those of a write that can
	// happen after its handler began.
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

// A Class declares whether a caller may try again after a failure. Agent loops
// make the same distinction between a retryable and a fatal tool error.
type Class uint8

const (
	// UndeclaredClass is the zero value. It is treated as [ClassFatal], and no
	// failure can be declared with it.
	UndeclaredClass Class = iota
	// ClassRetryable failures can be corrected by the model, or retried after a
	// stated delay.
	ClassRetryable
	// ClassFatal failures cannot be helped by a retry: the run should stop.
	ClassFatal
)

var classes = enum.Of[Class]("contract", "class", "", "retryable", "fatal")

// IsValid reports whether c is one of the declared classes.
func (c Class) IsValid() bool { return classes.IsValid(c) }

// IsZero reports whether c is undeclared.
func (c Class) IsZero() bool { return c == UndeclaredClass }

// String returns the wire text of c, "undeclared" for the zero value.
func (c Class) String() string { return classes.String(c) }

// MarshalText returns the wire text of c. An undeclared or unknown class is an
// error, because a document leaves an undeclared clause out.
func (c Class) MarshalText() ([]byte, error) { return classes.Marshal(c) }

// UnmarshalText sets c from its wire text. Any other text is an error and
// leaves c unchanged.
func (c *Class) UnmarshalText(text []byte) error { return classes.Unmarshal(c, text) }
