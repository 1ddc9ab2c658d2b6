package mcpgo

import "github.com/toolcontract/toolcontract/internal/enum"

// A ContractTier is how much of a contract tools/list shows. Every tier shows
// the hints and the schemas. The zero value is [Full].
type ContractTier uint8

const (
	// Full shows the whole [contract.Document] without its schemas, which are
	// members of the tool itself.
	Full ContractTier = iota
	// Summary shows the [contract.Summary], at most 200 bytes of JSON.
	Summary
	// Hints shows nothing: the tool has no _meta.
	Hints
)

var tiers = enum.Of[ContractTier]("mcpgo", "tier", "full", "summary", "hints")

// maxSummaryBytes is the largest size of a summary in the list.
const maxSummaryBytes = 200

// IsValid reports whether t is one of the tiers.
func (t ContractTier) IsValid() bool { return tiers.IsValid(t) }

// String returns the tier's text, and a form such as "tier(42)" for a number
// that is not a tier.
func (t ContractTier) String() string { return tiers.String(t) }

// MarshalText returns the tier's text. A number that is not a tier is an error.
func (t ContractTier) MarshalText() ([]byte, error) { return tiers.Marshal(t) }

// UnmarshalText sets t from a tier's text. Any other text, in another case too,
// is an error that lists the allowed ones and leaves t unchanged.
func (t *ContractTier) UnmarshalText(text []byte) error { return tiers.Unmarshal(t, text) }
