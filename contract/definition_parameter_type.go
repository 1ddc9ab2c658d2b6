package contract

// A ParameterType is one of the six types that a parameter of a [Definition]
// can have.
type ParameterType uint8

const (
	// UndeclaredParameter is the zero value. A parameter has to say its type.
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

// IsZero reports whether t is undeclared.
func (t ParameterType) IsZero() bool { return t == UndeclaredParameter }

// String returns the wire text of t, "undeclared" for the zero value.
func (t ParameterType) String() string {
	return enumString("parameterType", parameterTypeTexts[:], uint8(t))
}

// MarshalText returns the wire text of t. An undeclared or unknown type is an
// error.
func (t ParameterType) MarshalText() ([]byte, error) {
	return enumMarshal("parameterType", parameterTypeTexts[:], uint8(t))
}

// UnmarshalText sets t from its wire text. Any other text is an error and
// leaves t unchanged.
func (t *ParameterType) UnmarshalText(text []byte) error {
	return enumUnmarshal("parameterType", parameterTypeTexts[:], text, (*uint8)(t))
}
