package definition

import "slices"

// A ParameterType is one of the six types of a [Parameter]. Every parameter
// must have a type.
type ParameterType string

const (
	// StringParameter is text.
	StringParameter ParameterType = "string"
	// NumberParameter is a number, whole or not.
	NumberParameter ParameterType = "number"
	// BooleanParameter is true or false.
	BooleanParameter ParameterType = "boolean"
	// ObjectParameter is any JSON object.
	ObjectParameter ParameterType = "object"
	// ArrayParameter is any JSON array.
	ArrayParameter ParameterType = "array"
	// AnyParameter is any JSON value.
	AnyParameter ParameterType = "any"
)

func (t ParameterType) isKnown() bool {
	return slices.Contains([]ParameterType{
		StringParameter, NumberParameter, BooleanParameter, ObjectParameter, ArrayParameter, AnyParameter,
	}, t)
}
