package schema

import "fmt"

// A Direction is the side of a tool that a schema describes: the arguments or
// the result. The zero value is [Undeclared].
type Direction int

// The directions.
const (
	Undeclared Direction = iota // treated as Input
	Input                       // arguments: read by encoding/json's rules
	Output                      // a result: written by encoding/json's rules
)

// String returns "undeclared", "input" or "output".
func (d Direction) String() string {
	switch d {
	case Undeclared:
		return "undeclared"
	case Input:
		return "input"
	case Output:
		return "output"
	default:
		return fmt.Sprintf("direction(%d)", int(d))
	}
}
