package definition

import "github.com/toolcontract/toolcontract/internal/enum"

// A ParameterType is one of the six types of a [Parameter].
type ParameterType uint8

const (
	// UndeclaredParameter is the zero value. Every parameter must have a type.
	UndeclaredParameter ParameterType = iota
	// StringParameter is text.
	StringParameter
	// NumberParameter is a number, whole or not.
	NumberParameter
	// BooleanParameter is true or false.
	BooleanParameter
	// ObjectParameter is any JSON object.
	ObjectParameter
	// ArrayParameter is any JSON array.
	ArrayParameter
	// AnyParameter is any JSON value.
	AnyParameter
)

var parameterTypes = enum.Of[ParameterType]("definition", "parameter type", "", "string", "number", "boolean", "object", "array",
	"any")

// IsValid reports whether t is one of the six types.
func (t ParameterType) IsValid() bool { return parameterTypes.IsValid(t) }

// IsZero reports whether t is [UndeclaredParameter].
func (t ParameterType) IsZero() bool { return t == UndeclaredParameter }

// String returns the wire text of t, "undeclared" for the zero value.
func (t ParameterType) String() string { return parameterTypes.String(t) }

// MarshalText returns the wire text of t. An undeclared or unknown type is an
// error.
func (t ParameterType) MarshalText() ([]byte, error) { return parameterTypes.Marshal(t) }

// UnmarshalText sets t from its wire text. Any other text is an error and
// leaves t unchanged.
func (t *ParameterType) UnmarshalText(text []byte) error { return parameterTypes.Unmarshal(t, text) }
