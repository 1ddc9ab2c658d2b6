package contract

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/toolcontract/toolcontract/contract/internal/metadata"
	"github.com/toolcontract/toolcontract/internal/jsonfield"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

//go:generate go test -run TestDocumentSchema_IsCurrent -update .

//go:embed contract.schema.json
var documentSchema []byte

// DocumentSchema returns the JSON Schema 2020-12 of a [Document], in which the
// two schemas are optional, as in tools/list. Its $defs hold those of the
// [Summary] ("summary") and the [Outcome] ("outcome"). Each call returns a
// copy.
func DocumentSchema() json.RawMessage { return bytes.Clone(documentSchema) }

// ParseDocument reads a contract strictly. Use it for your own files: an
// unknown member, a duplicate name, bad UTF-8, an unknown value of an enum, or
// another format than [Format] is an error. For documents of other servers,
// which may use a later version, use [json.Unmarshal]: it preserves unknown
// members in Unknown.
func ParseDocument(data []byte) (Document, error) {
	var strict strictDocument
	if err := strictjson.Unmarshal(data, &strict); err != nil {
		return Document{}, fmt.Errorf("contract: document: %w", err)
	}
	d := strict.read()
	if d.Format != Format {
		return Document{}, fmt.Errorf("contract: document: format must be %d", Format)
	}
	if err := d.checkEnums(); err != nil {
		return Document{}, err
	}
	return d, nil
}

// checkEnums refuses a document that lacks a required enum, because it could be
// read but not be written again.
func (d Document) checkEnums() error {
	if d.Idempotency != nil && d.Idempotency.Mode.IsZero() {
		return errors.New("contract: document: idempotency has no mode")
	}
	for i, m := range d.FailureModes {
		if m.Class.IsZero() || m.By.IsZero() {
			return fmt.Errorf("contract: document: failureModes/%d has no class or no source", i)
		}
	}
	return nil
}

// plainDocument is a Document without its methods. Its Timeout is the number
// of milliseconds.
type plainDocument Document

// MarshalJSON writes the document with the members of Unknown, sorted, at its
// end.
func (d Document) MarshalJSON() ([]byte, error) {
	d.Timeout /= time.Millisecond
	data, err := json.Marshal(plainDocument(d))
	if err != nil || len(d.Unknown) == 0 {
		return data, err
	}
	unknown, err := json.Marshal(d.Unknown)
	if err != nil {
		return nil, err
	}
	data[len(data)-1] = ','
	return append(data, unknown[1:]...), nil
}

// UnmarshalJSON reads a document of another server. It preserves members that
// this version does not know in Unknown. Metadata is read strictly, with its
// integers exact, as int64 or uint64. It replaces all of d, and leaves d
// unchanged on an error.
func (d *Document) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	if members == nil {
		return errors.New("contract: document: must be an object")
	}
	known := make(map[string]json.RawMessage, len(members))
	for _, f := range jsonfield.Of(reflect.TypeFor[plainDocument]()) {
		if member, ok := members[f.Name]; ok {
			known[f.Name] = member
			delete(members, f.Name)
		}
	}
	// Only the known members are decoded, so that a member in another case
	// does not stand in for one.
	data, err := json.Marshal(known)
	if err != nil {
		return err
	}
	var plain plainDocument
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	if raw, ok := known["metadata"]; ok && plain.Metadata != nil {
		if plain.Metadata, err = metadata.Parse(raw); err != nil {
			return fmt.Errorf("contract: document: metadata: %w", err)
		}
	}
	if err := Document(plain).checkEnums(); err != nil {
		return err
	}
	if len(members) > 0 {
		plain.Unknown = members
	}
	*d = plain.read()
	return nil
}
