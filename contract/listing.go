package contract

import (
	"strings"

	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Tier selects how much of a contract tools/list shows. Hints and schemas are
// always listed. The zero value is [TierSummary].
type Tier uint8

const (
	// TierSummary shows the [Summary], about 400 bytes of JSON, with the
	// contract's own name if the tool is listed under another.
	TierSummary Tier = 0
	// TierFull shows the whole [Document] except the schemas, which the tool
	// lists itself.
	TierFull Tier = 1
	// TierHints shows nothing: the tool has no _meta.
	TierHints Tier = 2
)

var tiers = enum.Of[Tier]("contract", "tier", "summary", "full", "hints")

// IsValid reports whether t is one of the tiers.
func (t Tier) IsValid() bool { return tiers.IsValid(t) }

// String returns the tier's text, or a form such as "tier(42)" for a number
// that is no tier.
func (t Tier) String() string { return tiers.String(t) }

// MarshalText returns the tier's text. A number that is no tier is an error.
func (t Tier) MarshalText() ([]byte, error) { return tiers.Marshal(t) }

// UnmarshalText sets t from a tier's text. Any other text, including one in
// another case, is an error that lists the allowed ones and leaves t unchanged.
func (t *Tier) UnmarshalText(text []byte) error { return tiers.Unmarshal(t, text) }

// A Naming is how a server spells its contracts' names when it lists and calls
// tools. The zero value is [Underscore].
type Naming uint8

const (
	// Underscore writes "_" for ".": "emails_send". Every host accepts it. Some
	// hosts drop a whole server over one dotted name.
	Underscore Naming = 0
	// Dotted writes names as in the contracts: "emails.send".
	Dotted Naming = 1
)

var namings = enum.Of[Naming]("contract", "naming", "underscore", "dotted")

// IsValid reports whether n is one of the namings.
func (n Naming) IsValid() bool { return namings.IsValid(n) }

// String returns the naming's text, or a form such as "naming(42)" for a number
// that is no naming.
func (n Naming) String() string { return namings.String(n) }

// MarshalText returns the naming's text. A number that is no naming is an
// error.
func (n Naming) MarshalText() ([]byte, error) { return namings.Marshal(n) }

// UnmarshalText sets n from a naming's text. Any other text, including one in
// another case, is an error that lists the allowed ones and leaves n unchanged.
func (n *Naming) UnmarshalText(text []byte) error { return namings.Unmarshal(n, text) }

// Listed returns a contract's name as the server lists and calls it.
func (n Naming) Listed(name string) string {
	if n == Underscore {
		return strings.ReplaceAll(name, ".", "_")
	}
	return name
}
