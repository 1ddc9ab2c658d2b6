package contract

// OneOf marks a struct as a choice: exactly one of its members is present. The
// field is blank, and every other one is a pointer with omitempty or omitzero:
//
//	type Payment struct {
//		_    contract.OneOf
//		Card *Card `json:"card,omitempty"`
//		Bank *Bank `json:"bank,omitempty"`
//	}
//
// The JSON is an object with one member, such as {"card":{"number":"4111"}}.
// The name of the member is the branch. The pointer of every violation contains
// it: "/payment/card/number". In the Go value exactly one pointer is not nil. A
// result with no pointer, or with several, is output_invalid.
//
// The branches of a union can also have a member that identifies them, such as
// "kind". Write such a union as a type with the methods UnmarshalJSON and
// JSONSchema, or as the InputSchema of a handler that takes a json.RawMessage.
// The schema has oneOf, and a constant in each branch. Violations then name the
// constant of the branch.
type OneOf struct{}
