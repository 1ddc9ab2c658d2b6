package defaults

import "github.com/toolcontract/toolcontract/contract/internal/jsonschema"

// NewByObjects is New without the shortcut for memberwise documents, and
// IsMemberwise reports whether New takes it.
func NewByObjects(document *jsonschema.Document, refusal func(*jsonschema.Node, any) string, opts Options) (*Defaults, []Fault) {
	return newDefaults(document, refusal, opts, func(*jsonschema.Document) bool { return false })
}

// IsMemberwise is isMemberwise.
var IsMemberwise = isMemberwise
