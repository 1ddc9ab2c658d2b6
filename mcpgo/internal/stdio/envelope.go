package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A Call is a tools/call. Its bytes are parts of the line.
type Call struct {
	// ID is an integer of at most 15 digits, or a string of ASCII characters
	// that JSON does not escape. mcp-go writes the same bytes in the answer.
	ID json.RawMessage
	// Name is not empty, and has only such characters.
	Name string
	// Arguments is an object as it was sent. Each of its numbers fits a
	// float64. Nil: the call has no arguments.
	Arguments json.RawMessage
	// Meta is the _meta, an object as it was sent. Each of its numbers fits a
	// float64. Nil: the call has no _meta.
	Meta json.RawMessage
}

// IDValue returns the id as encoding/json decodes it: a float64 or a string.
func (c Call) IDValue() any { return scalar(c.ID) }

const (
	maxID       = 255 // bytes
	maxIDDigits = 15  // a float64 holds every integer of 15 digits
	// maxDigits bounds each number of an object. A number of that many digits
	// is in the range of a float64.
	maxDigits = 300
)

// ReadCall returns the tools/call of a line, read in one pass; mcp-go reads it
// four times. It accepts only lines that mcp-go reads as exactly the same call.
// mcp-go uses encoding/json, which ignores the case of names, takes the last of
// equal members, replaces invalid UTF-8, and drops unknown members. ReadCall
// accepts no line for which any of this matters, and none that mcp-go refuses.
// A line that it does not accept is not an error: the caller gives it to
// mcp-go.
// White space and a line break may surround the call.
func ReadCall(line []byte) (c Call, ok bool) {
	r := callReaders.Get().(*callReader) //nolint:forcetypeassert // see callReaders
	defer r.release()
	r.reset(line)
	if !r.message(&c) {
		return Call{}, false
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

// release returns the reader without the line.
func (r *callReader) release() {
	r.reset(nil)
	callReaders.Put(r)
}

// message reads the whole line.
func (r *callReader) message(c *Call) bool {
	if !r.begins() {
		return false
	}
	members := 0
	for ; r.hasMember(); members++ {
		ok := false
		switch string(r.value()) {
		case `"jsonrpc"`:
			ok = string(r.value()) == `"2.0"`
		case `"id"`:
			c.ID = r.value()
			ok = isID(c.ID)
		case `"method"`:
			ok = string(r.value()) == `"tools/call"`
		case `"params"`:
			ok = r.params(c)
		}
		if !ok {
			return false
		}
	}
	const all = 4 // the decoder refuses a member that is there twice
	return members == all && r.ends() && r.isAtEnd()
}

func (r *callReader) params(c *Call) bool {
	if !r.begins() {
		return false
	}
	for r.hasMember() {
		ok := false
		switch string(r.value()) {
		case `"name"`:
			c.Name, ok = plainText(r.value())
		case `"arguments"`:
			c.Arguments = r.value()
			ok = isObject(c.Arguments) && fitsFloats(c.Arguments)
		case `"_meta"`:
			c.Meta = r.value()
			ok = isObject(c.Meta) && fitsFloats(c.Meta)
		}
		if !ok {
			return false
		}
	}
	return c.Name != "" && r.ends()
}

// begins reads the begin of an object.
func (r *callReader) begins() bool {
	t, err := r.tokens.ReadToken()
	return err == nil && t.Kind() == jsontext.KindBeginObject
}

// hasMember reports whether a member follows in the object.
func (r *callReader) hasMember() bool { return r.tokens.PeekKind() == jsontext.KindString }

// ends reads the end of an object.
func (r *callReader) ends() bool {
	t, err := r.tokens.ReadToken()
	return err == nil && t.Kind() == jsontext.KindEndObject
}

func (r *callReader) isAtEnd() bool {
	_, err := r.tokens.ReadToken()
	return errors.Is(err, io.EOF)
}

// value reads a name or a value, and returns its bytes in the line. It returns
// nil if there is none.
func (r *callReader) value() []byte {
	v, err := r.tokens.ReadValue()
	if err != nil {
		return nil
	}
	end := int(r.tokens.InputOffset())
	return r.line[end-len(v) : end : end]
}
