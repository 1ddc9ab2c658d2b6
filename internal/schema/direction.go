package schema

import "fmt"

// A Direction is the side of a tool that a schema describes: its arguments or
// its result. The zero value is [Undeclared].
type Direction int

// The directions.
const (
	Undeclared Direction = iota // treated as Input
	Input                       // arguments: read the way encoding/json does
	Output                      // a result: written the way encoding/json does
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
