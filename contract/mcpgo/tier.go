package mcpgo

import (
	"github.com/toolcontract/toolcontract/contract/adapter"
	"github.com/toolcontract/toolcontract/internal/enum"
)

// A ContractTier selects how much of a contract tools/list shows. The hints and
// the schemas are always there. The zero value is [Summary].
type ContractTier adapter.Tier

const (
	// Summary shows the [contract.Summary], at most 200 bytes of JSON. The
	// contract's own name comes on top if the tool is listed under another.
	Summary = ContractTier(adapter.Summary)
	// Full shows the whole [contract.Document] except the schemas, which the
	// tool has beside it.
	Full = ContractTier(adapter.Full)
	// Hints shows nothing: the tool has no _meta.
	Hints = ContractTier(adapter.Hints)
)

var tiers = enum.Of[ContractTier]("mcpgo", "tier", "summary", "full", "hints")

// IsValid reports whether t is one of the tiers.
func (t ContractTier) IsValid() bool { return tiers.IsValid(t) }

// String returns the tier's text, and a form such as "tier(42)" for a number
// that is no tier.
func (t ContractTier) String() string { return tiers.String(t) }

// MarshalText returns the tier's text. A number that is no tier is an error.
func (t ContractTier) MarshalText() ([]byte, error) { return tiers.Marshal(t) }

// UnmarshalText sets t from a tier's text. Any other text, in another case too,
// is an error that lists the allowed ones and leaves t unchanged.
func (t *ContractTier) UnmarshalText(text []byte) error { return tiers.Unmarshal(t, text) }
