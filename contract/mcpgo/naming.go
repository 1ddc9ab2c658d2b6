package mcpgo

import (
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Naming says how the names of contracts are written on the wire. The zero
// value is [Dotted].
//
// The name on the wire is the only one that is listed, and the one that answers
// name; the contract's own is kept from other tools. Aliases stay as they are written, so a server that switches to
// [Underscore] adds the dotted names as aliases, and they can still be called.
// The contract in _meta, its digest and the audit log keep the contract's name.
type Naming uint8

const (
	// Dotted writes names as the contracts have them: "emails.send".
	Dotted Naming = iota
	// Underscore writes "_" for ".": "emails_send". Some hosts drop a whole
	// server for one dotted name.
	Underscore
)

var namings = enum.Of[Naming]("mcpgo", "naming", "dotted", "underscore")

// IsValid reports whether n is one of the namings.
func (n Naming) IsValid() bool { return namings.IsValid(n) }

// String returns the naming's text, and a form such as "naming(42)" for a
// number that is not a naming.
func (n Naming) String() string { return namings.String(n) }

// MarshalText returns the naming's text. A number that is not a naming is an
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

// translate writes the names that an outcome tells a caller to use.
func (n Naming) translate(o *contract.Outcome) {
	o.UseName = n.wire(o.UseName)
	if o.Deprecated != nil && n != Dotted {
		d := *o.Deprecated // it is the contract's
		d.ReplacedBy = n.wire(d.ReplacedBy)
		o.Deprecated = &d
	}
}

// collision reports a name of a contract that is on the wire that of b.
func collision(name string, b *entry) error {
	return &contract.DeclarationError{
		Rule: "serve.collision", Tool: b.listed, Clause: "name",
		Message: fmt.Sprintf("the names %s and %s are both written %s", name, b.called, b.tool.Name), Remedy: "rename one, or list dotted names",
	}
}
