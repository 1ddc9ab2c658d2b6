package mcpgo

import (
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Naming selects the form in which the names of contracts are written on the
// wire. The zero value is [Dotted].
//
// The name on the wire is the only one that is listed and called. No other tool
// can take the contract's own name. Aliases stay as they are written. A server
// that switches to [Underscore] adds the dotted names as aliases, so that they
// can still be called. The contract in _meta, its digest and the audit log have
// the contract's own name.
type Naming uint8

const (
	// Dotted writes names as the contracts have them: "emails.send".
	Dotted Naming = 0
	// Underscore writes "_" for ".": "emails_send". Some hosts drop a whole
	// server because of one dotted name.
	Underscore Naming = 1
)

var namings = enum.Of[Naming]("mcpgo", "naming", "dotted", "underscore")

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

// wire returns a contract's name as it is listed and called.
func (n Naming) wire(name string) string {
	if n == Underscore {
		return strings.ReplaceAll(name, ".", "_")
	}
	return name
}

// translate writes the names that an outcome refers the caller to.
func (n Naming) translate(o *contract.Outcome) {
	o.UseName = n.wire(o.UseName)
	if o.Deprecated != nil && n != Dotted {
		d := *o.Deprecated // the contract's own stays as it is
		d.ReplacedBy = n.wire(d.ReplacedBy)
		o.Deprecated = &d
	}
}
