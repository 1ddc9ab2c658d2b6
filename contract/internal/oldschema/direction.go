package oldschema

import "fmt"

// A Direction says whether a schema describes the arguments or the result of a tool. The zero value is [Undeclared].
type Direction int

// The directions.
const (
	Undeclared Direction = iota // not said; [Derive] treats it as Input
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
