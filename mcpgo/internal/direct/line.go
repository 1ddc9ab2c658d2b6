package direct

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A toolCall is the tools/call in a line. Its byte slices alias the line.
type toolCall struct {
	// id is an integer of at most 15 digits, or a string of ASCII characters
	// that JSON does not escape. mcp-go answers with the same bytes.
	id json.RawMessage
	// name is not empty, and has only the characters that id may have.
	name string
	// arguments is an object as it was sent, whose numbers all fit a float64.
	// Nil: the call has no arguments.
	arguments json.RawMessage
	// meta is the _meta, an object as it was sent, whose numbers all fit a
	// float64. Nil: the call has no _meta.
	meta json.RawMessage
}

// idValue returns the id as encoding/json decodes it: a float64 or a string.
func (c toolCall) idValue() any { return scalar(c.id) }

// readCall reads the tools/call in a line in one pass. It accepts only lines
// that mcp-go reads as exactly the same call. mcp-go uses encoding/json, which
// ignores the case of names, takes the last of several members with one name,
// replaces invalid UTF-8, and drops unknown members. readCall accepts no line
// for which any of this matters, and none that mcp-go refuses. A line that it
// does not accept is no error: mcp-go reads it instead. White space and a line
// break may surround the call.
func readCall(line []byte) (c toolCall, ok bool) {
	r := callReaders.Get().(*callReader) //nolint:forcetypeassert // see callReaders
	defer r.release()
	r.reset(line)
	if !r.readMessage(&c) {
		return toolCall{}, false
	}
	return c, true
}

// A callReader reads one line.
type callReader struct {
	line   []byte
	source bytes.Buffer
	tokens *jsontext.Decoder // refuses duplicate names and invalid UTF-8
}

var callReaders = sync.Pool{New: func() any { return &callReader{tokens: jsontext.NewDecoder(&bytes.Buffer{})} }}

func (r *callReader) reset(line []byte) {
	r.line = line
	r.source = *bytes.NewBuffer(line)
	r.tokens.Reset(&r.source)
}

// release returns the reader to the pool, without the line.
func (r *callReader) release() {
	r.reset(nil)
	callReaders.Put(r)
}

// readMessage reads the whole line.
func (r *callReader) readMessage(c *toolCall) bool {
	if !r.openObject() {
		return false
	}
	members := 0
	for ; r.hasMember(); members++ {
		ok := false
		switch string(r.readValue()) {
		case `"jsonrpc"`:
			ok = string(r.readValue()) == `"2.0"`
		case `"id"`:
			c.id = r.readValue()
			ok = isID(c.id)
		case `"method"`:
			ok = string(r.readValue()) == `"tools/call"`
		case `"params"`:
			ok = r.readParams(c)
		}
		if !ok {
			return false
		}
	}
	const all = 4 // the decoder refuses duplicates
	return members == all && r.closeObject() && r.isAtEnd()
}

func (r *callReader) readParams(c *toolCall) bool {
	if !r.openObject() {
		return false
	}
	for r.hasMember() {
		ok := false
		switch string(r.readValue()) {
		case `"name"`:
			c.name, ok = plainText(r.readValue())
		case `"arguments"`:
			c.arguments = r.readValue()
			ok = isObject(c.arguments) && fitsFloats(c.arguments)
		case `"_meta"`:
			c.meta = r.readValue()
			ok = isObject(c.meta) && fitsFloats(c.meta)
		}
		if !ok {
			return false
		}
	}
	return c.name != "" && r.closeObject()
}

// openObject reads the opening brace of an object.
func (r *callReader) openObject() bool {
	t, err := r.tokens.ReadToken()
	return err == nil && t.Kind() == jsontext.KindBeginObject
}

// hasMember reports whether the object has another member.
func (r *callReader) hasMember() bool { return r.tokens.PeekKind() == jsontext.KindString }

// closeObject reads the closing brace of an object.
func (r *callReader) closeObject() bool {
	t, err := r.tokens.ReadToken()
	return err == nil && t.Kind() == jsontext.KindEndObject
}

func (r *callReader) isAtEnd() bool {
	_, err := r.tokens.ReadToken()
	return errors.Is(err, io.EOF)
}

// readValue reads a name or a value, and returns its bytes in the line. It
// returns nil if there is none.
func (r *callReader) readValue() []byte {
	v, err := r.tokens.ReadValue()
	if err != nil {
		return nil
	}
	end := int(r.tokens.InputOffset())
	return r.line[end-len(v) : end : end]
}
