package mcpgo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
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
	Dotted Naming = 0
	// Underscore writes "_" for ".": "emails_send". Some hosts drop a whole
	// server for one dotted name.
	Underscore Naming = 1
)

// IsValid reports whether n is one of the namings.
func (n Naming) IsValid() bool { return n <= Underscore }

// String returns the naming's text, and a form such as "naming(42)" for a number
// that is no naming.
func (n Naming) String() string {
	switch n {
	case Dotted:
		return "dotted"
	case Underscore:
		return "underscore"
	default:
		return fmt.Sprintf("naming(%d)", uint8(n))
	}
}

// MarshalText returns the naming's text. A number that is no naming is an error.
func (n Naming) MarshalText() ([]byte, error) {
	if !n.IsValid() {
		return nil, fmt.Errorf("mcpgo: %v has no text form", n)
	}
	return []byte(n.String()), nil
}

// UnmarshalText sets n from a naming's text. Any other text, also another case
// of it, is an error that lists the allowed ones and leaves n unchanged.
func (n *Naming) UnmarshalText(text []byte) error {
	for _, known := range []Naming{Dotted, Underscore} {
		if string(text) == known.String() {
			*n = known
			return nil
		}
	}
	return errors.New("mcpgo: unknown naming: allowed are dotted, underscore")
}

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
