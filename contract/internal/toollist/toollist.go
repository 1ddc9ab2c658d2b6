// Package toollist has the entry of a contract in tools/list, and its size. It
// needs no SDK. Adapters write the entry with their SDK, in the same bytes.
package toollist

import (
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
)

// maxSummaryBytes bounds what a summary may cost in the list.
const maxSummaryBytes = 200

// Full returns the contract without its schemas, which the tool has beside it.
// The error is a [contract.DeclarationError].
func Full(doc contract.Document) (json.RawMessage, error) {
	return shown(doc, doc.WithoutSchemas())
}

// Summary returns the summary of the contract, at most 200 bytes of JSON. It
// has the contract's own name on top if the naming lists another. The error is
// a [contract.DeclarationError].
func Summary(doc contract.Document, naming contract.Naming) (json.RawMessage, error) {
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

// A Size is the length of a tool's entry in tools/list, in bytes of JSON, by
// how much of the contract is in its _meta: nothing, the summary, or all of it.
type Size struct {
	Hints, Summary, Full int
}

// Measure returns the size of a tool's entry with the naming that is the
// default. The error joins a [contract.DeclarationError] for everything that
// prevents it from being listed in one of the forms.
func Measure(doc contract.Document) (Size, error) {
	if err := CheckHeaders(doc); err != nil {
		return Size{}, err
	}
	summary, err := Summary(doc, contract.Underscore)
	if err != nil {
		return Size{}, err
	}
	full, err := Full(doc)
	if err != nil {
		return Size{}, err
	}
	hints, err := length(doc)
	if err != nil {
		return Size{}, err
	}
	// With another _meta, the entry is longer by the difference of its texts.
	with := func(shown json.RawMessage) int {
		return hints + len(`,"_meta":{"`+contract.MetaKeyContract+`":`) + len(shown) + len(`}`)
	}
	return Size{Hints: hints, Summary: with(summary), Full: with(full)}, nil
}

// length returns the length of an entry without _meta.
func length(doc contract.Document) (int, error) {
	type annotations struct {
		Title           string `json:"title,omitempty"`
		ReadOnlyHint    bool   `json:"readOnlyHint"`
		DestructiveHint bool   `json:"destructiveHint"`
		IdempotentHint  bool   `json:"idempotentHint"`
		OpenWorldHint   bool   `json:"openWorldHint"`
	}
	hints := doc.Hints()
	entry := struct {
		Name         string          `json:"name"`
		Title        string          `json:"title,omitempty"`
		Description  string          `json:"description,omitempty"`
		InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
		OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
		Annotations  annotations     `json:"annotations"`
	}{
		doc.Name, doc.Title, doc.Description, doc.InputSchema, doc.OutputSchema,
		annotations{doc.Title, hints.ReadOnly, hints.Destructive, hints.Idempotent, hints.OpenWorld},
	}
	wire, err := json.Marshal(entry)
	if err != nil {
		return 0, &contract.DeclarationError{
			Rule: "serve.definition", Tool: doc.Name, Where: "inputSchema",
			Message: "the definition cannot be written as JSON", Remedy: "correct the schemas",
		}
	}
	return len(wire), nil
}

// Tokens estimates the tokens of n bytes of JSON: a quarter of them, rounded
// up.
func Tokens(n int) int { return (n + 3) / 4 }
