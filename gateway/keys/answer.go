package keys

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxMessage bounds a buffered message, in bytes.
const maxMessage = 16 << 20

// An edit replaces the bytes of a message from start to end.
type edit struct {
	start, end int
	text       []byte
}

// answers writes keys into the answers to tools/list.
type answers struct {
	keys Lookup
	// isOpen reports whether an id belongs to an unanswered tools/list.
	isOpen func(id string) bool
}

// rewrite returns a message with the keys, and the ids of the requests that it
// answers. Without ids the message is unchanged.
func (a answers) rewrite(message []byte) (rewritten []byte, ids []string) {
	r := reading{answers: a, dec: jsontext.NewDecoder(bytes.NewReader(message))}
	err := eachMessage(r.dec, func() error {
		id, err := r.answer()
		if id != "" {
			ids = append(ids, id)
		}
		return err
	})
	if err != nil || len(ids) == 0 {
		return message, nil
	}
	return apply(message, r.edits), ids
}

// apply returns a message with edits, which must be in the order of the
// message.
func apply(message []byte, edits []edit) []byte {
	size := len(message)
	for _, e := range edits {
		size += len(e.text) - (e.end - e.start)
	}
	changed := make([]byte, 0, size)
	from := 0
	for _, e := range edits {
		changed = append(append(changed, message[from:e.start]...), e.text...)
		from = e.end
	}
	return append(changed, message[from:]...)
}

// A reading is one pass over a message.
type reading struct {
	answers

	dec   *jsontext.Decoder
	edits []edit
}

// answer reads one message. It returns the id of the tools/list that the
// message answers, or "" for any other message, whose edits it discards.
func (r *reading) answer() (string, error) {
	before := len(r.edits)
	id := ""
	isList := false
	isRequest := false
	err := eachMember(r.dec, func(name string) (err error) {
		switch name {
		case "id":
			id, err = readID(r.dec)
			return err
		case "method":
			isRequest = true
		case "result":
			if r.dec.PeekKind() == '{' {
				isList, err = r.result()
				return err
			}
		}
		return r.dec.SkipValue()
	})
	if err != nil || isRequest || id == "" || !r.isOpen(id) {
		r.edits = r.edits[:before]
		return "", err
	}
	if !isList { // an error, or the result of another request with the same id
		r.edits = r.edits[:before]
	}
	return id, nil
}

// result reads a result and reports whether it is a list of tools.
func (r *reading) result() (isList bool, err error) {
	isOther := false
	err = eachMember(r.dec, func(name string) error {
		switch name {
		case "tools":
			if r.dec.PeekKind() == '[' {
				isList = true
				return eachElement(r.dec, r.tool)
			}
		case "content", "structuredContent":
			isOther = true
		}
		return r.dec.SkipValue()
	})
	return isList && !isOther, err
}

// tool reads one element of the list and adds an edit for its annotations.
func (r *reading) tool() error {
	if r.dec.PeekKind() != '{' {
		return r.dec.SkipValue()
	}
	tool := ""
	var annotations jsontext.Value
	var at edit
	members := 0
	err := eachMember(r.dec, func(name string) error {
		members++
		value, err := r.dec.ReadValue()
		if err != nil {
			return err
		}
		switch name {
		case "name":
			if value.Kind() == '"' {
				return json.Unmarshal(value, &tool)
			}
		case "annotations":
			end := int(r.dec.InputOffset())
			annotations = value.Clone()
			at = edit{start: end - len(value), end: end}
		}
		return nil
	})
	if err != nil || tool == "" {
		return err
	}
	keys, ok := r.keys(tool)
	if !ok {
		return nil
	}
	merged, ok := merge(annotations, keys)
	if !ok {
		return nil
	}
	if at.text = merged; annotations == nil {
		end := int(r.dec.InputOffset()) - 1 // before the brace
		at = edit{start: end, end: end, text: slices.Concat([]byte(`,"annotations":`), merged)}
	}
	r.edits = append(r.edits, at)
	return nil
}

// merge returns annotations with keys, which replace members of the same names.
// It returns false if the annotations are not an object.
func merge(annotations jsontext.Value, keys Keys) ([]byte, bool) {
	added, err := json.Marshal(keys)
	if err != nil {
		return nil, false // an effect or trust without a name
	}
	if annotations == nil || annotations.Kind() == 'n' {
		return added, true
	}
	var names map[string]json.RawMessage
	if json.Unmarshal(added, &names) != nil {
		return nil, false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(annotations))
	merged := []byte{'{'}
	err = eachMember(dec, func(name string) error {
		value, err := dec.ReadValue()
		if _, replaced := names[name]; err != nil || replaced {
			return err
		}
		merged, err = jsontext.AppendQuote(merged, name)
		merged = append(append(append(merged, ':'), value...), ',')
		return err
	})
	if err != nil {
		return nil, false
	}
	return append(merged, added[1:]...), true
}
