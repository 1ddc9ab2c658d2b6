package contract

import "github.com/toolcontract/toolcontract/internal/enum"

// A Class is what a caller may do after a failure. Agent loops make the same
// distinction between a retryable and a fatal tool error.
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
