package defaults

import "github.com/toolcontract/toolcontract/internal/schema/tree"

// NewByObjects is New without the shortcut for memberwise documents, and
// IsMemberwise reports whether New takes it.
func NewByObjects(document *tree.Document, refusal func(*tree.Node, any) string, opts Options) (*Defaults, []Fault) {
	return newDefaults(document, refusal, opts, func(*tree.Document) bool { return false })
}

// IsMemberwise is isMemberwise.
var IsMemberwise = isMemberwise
