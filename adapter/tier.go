package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
)

// maxSummaryBytes bounds the size of a summary in the list.
const maxSummaryBytes = 4096

// shownContract returns what a tier shows of a contract in _meta, or nil for
// nothing.
func shownContract(doc contract.Document, tier contract.Tier, naming contract.Naming) (json.RawMessage, error) {
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
	return marshalPart(doc, listed)
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
	raw, err := marshalPart(doc, summary)
	if err == nil && len(raw)-name > maxSummaryBytes {
		return nil, &contract.DeclarationError{
			Rule: "serve.summary", Tool: doc.Name, Where: "contract",
			Message: fmt.Sprintf("the summary is longer than %d bytes", maxSummaryBytes),
			Remedy:  "shorten the version, the permissions and the texts, or use another tier",
		}
	}
	return raw, err
}

// marshalPart returns a part of a contract as JSON.
func marshalPart(doc contract.Document, part any) (json.RawMessage, error) {
	raw, err := json.Marshal(part)
	if err != nil {
		return nil, &contract.DeclarationError{
			Rule: "serve.definition", Tool: doc.Name, Where: "contract",
			Message: "the contract cannot be written as JSON", Remedy: "use plain data in its metadata",
		}
	}
	return raw, nil
}
