package contracttest

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/listing"
)

// ListedJSON returns a contract's item in tools/list, as an adapter lists it in
// the given tier and naming. The error has a [contract.DeclarationError] if the
// tool cannot be listed.
func ListedJSON(doc contract.Document, tier contract.Tier, naming contract.Naming) (json.RawMessage, error) {
	metadata, err := listing.Metadata(doc, tier, naming)
	if err != nil {
		return nil, err
	}
	return listing.Marshal(doc, "inputSchema", listedTool{
		Meta: metadata, Annotations: listedAnnotations{doc.Title, listedHints(doc.Hints())}, Description: doc.Description,
		InputSchema: doc.InputSchema, Name: naming.Listed(doc.Name), OutputSchema: doc.OutputSchema, Title: doc.Title,
	})
}

type (
	// A listedTool has the JSON of an adapter's Definition, without the packages
	// that an adapter needs.
	listedTool struct {
		Meta         map[string]any    `json:"_meta,omitempty"`
		Annotations  listedAnnotations `json:"annotations"`
		Description  string            `json:"description,omitempty"`
		InputSchema  json.RawMessage   `json:"inputSchema"`
		Name         string            `json:"name"`
		OutputSchema json.RawMessage   `json:"outputSchema,omitempty"`
		Title        string            `json:"title,omitempty"`
	}
	listedAnnotations struct {
		Title string `json:"title,omitempty"`
		listedHints
	}
	// listedHints is a [contract.Hints].
	listedHints struct {
		ReadOnly    bool `json:"readOnlyHint"`
		Destructive bool `json:"destructiveHint"`
		Idempotent  bool `json:"idempotentHint"`
		OpenWorld   bool `json:"openWorldHint"`
	}
)
