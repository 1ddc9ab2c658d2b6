// Package listing makes what a contract adds to its item in tools/list, and checks
// that it can be listed.
package listing

import (
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
)

// maxSummaryBytes bounds the size of a summary in the list.
const maxSummaryBytes = 4096

// Metadata returns the _meta of a contract's item in tools/list. It is nil for a
// tier that shows nothing of the contract. The error has a
// [contract.DeclarationError] if the tool cannot be listed.
func Metadata(doc contract.Document, tier contract.Tier, naming contract.Naming) (map[string]any, error) {
	if err := checkHeaders(doc); err != nil {
		return nil, err
	}
	shown, err := Contract(doc, tier, naming)
	if err != nil || shown == nil {
		return nil, err
	}
	return map[string]any{contract.MetaKeyContract: shown}, nil
}

// Contract returns what a tier shows of a contract in _meta, or nil for
// nothing.
func Contract(doc contract.Document, tier contract.Tier, naming contract.Naming) (json.RawMessage, error) {
	switch tier {
	case contract.TierHints:
		return nil, nil
	case contract.TierSummary:
		return summary(doc, naming)
	case contract.TierFull:
	}
	listed := doc
	listed.InputSchema = nil // the tool itself has both
	listed.OutputSchema = nil
	return Marshal(doc, "contract", listed)
}

// summary returns the summary of a contract. It also has the contract's own
// name if the naming lists another.
func summary(doc contract.Document, naming contract.Naming) (json.RawMessage, error) {
	summary := doc.Summary()
	name := 0
	if naming.Listed(doc.Name) == doc.Name {
		summary.Name = ""
	} else {
		name = len(`"name":"",`) + len(doc.Name)
	}
	raw, err := Marshal(doc, "contract", summary)
	if err == nil && len(raw)-name > maxSummaryBytes {
		return nil, &contract.DeclarationError{
			Rule: "serve.summary", Tool: doc.Name, Where: "contract",
			Message: fmt.Sprintf("the summary is longer than %d bytes", maxSummaryBytes),
			Remedy:  "shorten the version, the permissions and the texts, or use another tier",
		}
	}
	return raw, err
}

// Marshal returns a part of a tool's definition as JSON.
func Marshal(doc contract.Document, where string, part any) (json.RawMessage, error) {
	raw, err := json.Marshal(part)
	if err != nil {
		return nil, &contract.DeclarationError{
			Rule: "serve.definition", Tool: doc.Name, Where: where,
			Message: "the definition cannot be written as JSON", Remedy: "use plain data in its metadata, and correct its schemas",
		}
	}
	return raw, nil
}
