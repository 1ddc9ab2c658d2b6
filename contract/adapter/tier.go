package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Tier selects how much of a contract tools/list shows. The hints and
// the schemas are always there. The zero value is [Summary].
type Tier uint8

const (
	// Summary shows the [contract.Summary], at most 200 bytes of JSON. The
	// contract's own name comes on top if the tool is listed under another.
	Summary Tier = 0
	// Full shows the whole [contract.Document] except the schemas, which the
	// tool has beside it.
	Full Tier = 1
	// Hints shows nothing: the tool has no _meta.
	Hints Tier = 2
)

var tiers = enum.Of[Tier]("adapter", "tier", "summary", "full", "hints")

// IsValid reports whether t is one of the tiers.
func (t Tier) IsValid() bool { return tiers.IsValid(t) }

// String returns the tier's text, and a form such as "tier(42)" for a number
// that is no tier.
func (t Tier) String() string { return tiers.String(t) }

// MarshalText returns the tier's text. A number that is no tier is an error.
func (t Tier) MarshalText() ([]byte, error) { return tiers.Marshal(t) }

// UnmarshalText sets t from a tier's text. Any other text, in another case too,
// is an error that lists the allowed ones and leaves t unchanged.
func (t *Tier) UnmarshalText(text []byte) error { return tiers.Unmarshal(t, text) }

// maxSummaryBytes bounds what a summary may cost in the list.
const maxSummaryBytes = 200

// shownContract returns the form of a contract that a tier shows in _meta, nil
// for none.
func shownContract(doc contract.Document, tier Tier, naming Naming) (json.RawMessage, error) {
	switch tier {
	case Hints:
		return nil, nil
	case Summary:
		return summary(doc, naming)
	case Full:
	}
	return shown(doc, doc.WithoutSchemas())
}

// summary returns the summary of a contract. It has the contract's own name on
// top if the naming lists another.
func summary(doc contract.Document, naming Naming) (json.RawMessage, error) {
	summary, name := doc.Summary(), 0
	if naming.Listed(doc.Name) == doc.Name {
		summary.Name = ""
	} else {
		name = len(`"name":"",`) + len(doc.Name)
	}
	raw, err := shown(doc, summary)
	if err == nil && len(raw)-name > maxSummaryBytes {
		return nil, &contract.DeclarationError{
			Rule: "serve.summary", Tool: doc.Name, Where: "version",
			Message: fmt.Sprintf("the summary is longer than %d bytes", maxSummaryBytes), Remedy: "shorten the version, or use another tier",
		}
	}
	return raw, err
}

func shown(doc contract.Document, part any) (json.RawMessage, error) {
	raw, err := json.Marshal(part)
	if err != nil {
		return nil, &contract.DeclarationError{
			Rule: "serve.definition", Tool: doc.Name, Where: "contract",
			Message: "the contract cannot be written as JSON", Remedy: "use plain data in its metadata",
		}
	}
	return raw, nil
}
