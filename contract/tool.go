package contract

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
)

// A Tool is a built contract with its handler. It can only be called through a
// guard. It is immutable and safe for concurrent use.
type Tool struct {
	private
	doc    Document
	digest func() (string, error) // calculates it when it is first called

	definition *definition.Definition // nil unless made by Bind
}

// private holds the half of a tool that only the guard gets.
type private = bound.Half

// Name returns the tool's name.
func (t *Tool) Name() string { return t.doc.Name }

// Document returns a copy of the contract, with both schemas.
func (t *Tool) Document() Document { return t.doc.Clone() }

// Digest returns the digest of the contract; see [Document.Digest].
func (t *Tool) Digest() string {
	digest, _ := t.digest() // Build has refused documents without one
	return digest
}

// MarshalJSON writes the contract as its [Document].
func (t *Tool) MarshalJSON() ([]byte, error) { return json.Marshal(t.doc) }
