package keys

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxRequest bounds a tools/list request, in bytes. A longer one is not
	// recognised.
	maxRequest = 64 << 10
	methodList = "tools/list"
)

// endOfMethod is in every tools/list request, even if the slash is escaped.
// Searching for it is much cheaper than parsing the message.
var endOfMethod = []byte(`list"`)

// mark is a byte order mark, which servers over stdio ignore.
var mark = []byte("\ufeff")

// errNotThis stops the parsing of a message that does not have the expected
// form.
var errNotThis = errors.New("gateway/keys: another message")

// listIDs returns the ids of the requests for tools/list in a message, which
// can be a batch. It returns none for an ambiguous message.
func listIDs(message []byte) []string {
	if len(message) > maxRequest || !bytes.Contains(message, endOfMethod) {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(message, mark)))
	var ids []string
	one := func() error {
		id, err := readRequest(dec)
		if id != "" {
			ids = append(ids, id)
		}
		return err
	}
	if eachMessage(dec, one) != nil {
		return nil
	}
	return ids
}

// eachMessage calls one for a message, or for each message of a batch. one must
// read it. Nothing may follow.
func eachMessage(dec *jsontext.Decoder, one func() error) error {
	read := one
	if dec.PeekKind() == '[' {
		read = func() error { return eachElement(dec, one) }
	}
	if err := read(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errNotThis
	}
	return nil
}

// eachElement calls one for each element of an array. one must read it.
func eachElement(dec *jsontext.Decoder, one func() error) error {
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '[' {
		return errors.Join(err, errNotThis)
	}
	for dec.PeekKind() != ']' {
		if err := one(); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// eachMember calls one for each member of an object. one must read its value.
func eachMember(dec *jsontext.Decoder, one func(name string) error) error {
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return errors.Join(err, errNotThis)
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := one(name.String()); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// readRequest reads one message. It returns the id if it is a tools/list.
func readRequest(dec *jsontext.Decoder) (id string, err error) {
	isList := false
	err = eachMember(dec, func(name string) error {
		switch {
		case name == "id":
			id, err = readID(dec)
			return err
		case name == "method":
			method, err := dec.ReadToken()
			isList = err == nil && method.Kind() == '"' && method.String() == methodList
			return err
		case strings.EqualFold(name, "id") || strings.EqualFold(name, "method"):
			return errNotThis // encoding/json would read it as the member
		default:
			return dec.SkipValue()
		}
	})
	if err != nil || !isList {
		return "", err
	}
	return id, nil
}

// readID returns an id as text that is equal for equal ids, or "" for a value
// that is neither a string nor a number.
func readID(dec *jsontext.Decoder) (string, error) {
	value, err := dec.ReadValue()
	if err != nil || value.Kind() != '"' && value.Kind() != '0' {
		return "", err
	}
	id := value.Clone()
	if err := id.Canonicalize(); err != nil {
		return "", err
	}
	return string(id), nil
}
