package defaults

import "github.com/toolcontract/toolcontract/contract/internal/schemadoc"

// NewByObjects is New without the shortcut for memberwise documents, and
// IsMemberwise reports whether New takes it.
func NewByObjects(document *schemadoc.Document, refusal func(*schemadoc.Node, any) string, opts Options) (*Defaults, []Fault) {
	return newDefaults(document, refusal, opts, func(*schemadoc.Document) bool { return false })
}

// IsMemberwise is isMemberwise.
var IsMemberwise = isMemberwise
