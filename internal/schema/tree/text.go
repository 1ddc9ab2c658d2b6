package tree

import "encoding/json"

// A Text is the text of a schema, which is read when its document is first
// asked for, and once. Only one goroutine may use it.
type Text struct {
	Raw json.RawMessage

	wasRead  bool
	document *Document
	err      error
}

// NewText returns a Text that has not been read.
func NewText(raw json.RawMessage) *Text { return &Text{Raw: raw} }

// Document returns the document that [Read] reads.
func (t *Text) Document() (*Document, error) {
	if !t.wasRead {
		t.document, t.err = Read(t.Raw)
		t.wasRead = true
	}
	return t.document, t.err
}
