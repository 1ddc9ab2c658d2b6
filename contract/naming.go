package contract

import (
	"strings"

	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Naming is the form in which a server lists and calls the names of its
// contracts. The zero value is [Underscore].
type Naming uint8

const (
	// Underscore writes "_" for ".": "emails_send". Every host accepts it. Some
	// hosts drop a whole server because of one dotted name.
	Underscore Naming = 0
	// Dotted writes names as the contracts have them: "emails.send".
	Dotted Naming = 1
)

var namings = enum.Of[Naming]("contract", "naming", "underscore", "dotted")

// IsValid reports whether n is one of the namings.
func (n Naming) IsValid() bool { return namings.IsValid(n) }

// String returns the naming's text, and a form such as "naming(42)" for a
// number that is no naming.
func (n Naming) String() string { return namings.String(n) }

// MarshalText returns the naming's text. A number that is no naming is an
// error.
func (n Naming) MarshalText() ([]byte, error) { return namings.Marshal(n) }

// UnmarshalText sets n from a naming's text. Any other text, in another case
// too, is an error that lists the allowed ones and leaves n unchanged.
func (n *Naming) UnmarshalText(text []byte) error { return namings.Unmarshal(n, text) }

// Listed returns a contract's name as it is listed and called.
func (n Naming) Listed(name string) string {
	if n == Underscore {
		return strings.ReplaceAll(name, ".", "_")
	}
	return name
}
