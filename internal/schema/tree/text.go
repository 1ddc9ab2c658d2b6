package tree

import "encoding/json"

// A Text is a schema's text. It is parsed once, when its document is first
// needed. It is not safe for concurrent use.
type Text struct {
	Raw json.RawMessage

	wasRead  bool
	document *Document
	err      error
}

// NewText returns a Text that hasn't been read yet.
func NewText(raw json.RawMessage) *Text { return &Text{Raw: raw} }

// Document returns the document, reading it on first use. Errors are those of
// [Read].
func (t *Text) Document() (*Document, error) {
	if !t.wasRead {
		t.document, t.err = Read(t.Raw)
		t.wasRead = true
	}
	return t.document, t.err
}
