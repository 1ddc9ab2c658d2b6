package mcpgo

import (
	"errors"
	"fmt"
)

// A ContractTier says how much of a contract tools/list shows. The hints and
// the schemas are always there. The zero value is [Full].
type ContractTier uint8

const (
	// Full shows the whole [contract.Document] but the schemas, which stand
	// beside it.
	Full ContractTier = 0
	// Summary shows the [contract.Summary], at most 200 bytes of JSON.
	Summary ContractTier = 1
	// Hints shows nothing: the tool has no _meta.
	Hints ContractTier = 2
)

// maxSummaryBytes is what a summary may cost in the list.
const maxSummaryBytes = 200

// IsValid reports whether t is one of the tiers.
func (t ContractTier) IsValid() bool { return t <= Hints }

// String returns the tier's text, and a form such as "tier(42)" for a number
// that is no tier.
func (t ContractTier) String() string {
	switch t {
	case Full:
		return "full"
	case Summary:
		return "summary"
	case Hints:
		return "hints"
	default:
		return fmt.Sprintf("tier(%d)", uint8(t))
	}
}

// MarshalText returns the tier's text. A number that is no tier is an error.
func (t ContractTier) MarshalText() ([]byte, error) {
	if !t.IsValid() {
		return nil, fmt.Errorf("mcpgo: %v has no text form", t)
	}
	return []byte(t.String()), nil
}

// UnmarshalText sets t from a tier's text. Any other text, also another case of
// it, is an error that lists the allowed ones and leaves t unchanged.
func (t *ContractTier) UnmarshalText(text []byte) error {
	for _, known := range []ContractTier{Full, Summary, Hints} {
		if string(text) == known.String() {
			*t = known
			return nil
		}
	}
	return errors.New("mcpgo: unknown tier: allowed are full, summary, hints")
}
