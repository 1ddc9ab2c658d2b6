package definition

import (
	"fmt"
	"strings"
)

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

var parameterTypeTexts = [...]string{"", "string", "number", "boolean", "object", "array", "any"}

// IsValid reports whether t is one of the six types.
func (t ParameterType) IsValid() bool { return t >= StringParameter && t <= AnyParameter }

// IsZero reports whether t is [UndeclaredParameter].
func (t ParameterType) IsZero() bool { return t == UndeclaredParameter }

// String returns the wire text of t, "undeclared" for the zero value.
func (t ParameterType) String() string {
	switch {
	case t.IsZero():
		return "undeclared"
	case t.IsValid():
		return parameterTypeTexts[t]
	default:
		return fmt.Sprintf("parameterType(%d)", uint8(t))
	}
}

// MarshalText returns the wire text of t. An undeclared or unknown type is an
// error.
func (t ParameterType) MarshalText() ([]byte, error) {
	if !t.IsValid() {
		return nil, fmt.Errorf("contract: parameterType %d has no text", uint8(t))
	}
	return []byte(parameterTypeTexts[t]), nil
}

// UnmarshalText sets t from its wire text. Any other text is an error and
// leaves t unchanged.
func (t *ParameterType) UnmarshalText(text []byte) error {
	for kind := StringParameter; kind <= AnyParameter; kind++ {
		if parameterTypeTexts[kind] == string(text) {
			*t = kind
			return nil
		}
	}
	return fmt.Errorf("contract: unknown parameterType: allowed are %s", strings.Join(parameterTypeTexts[StringParameter:], ", "))
}
