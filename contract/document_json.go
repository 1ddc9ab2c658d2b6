package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/internal/schema/scan"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// The file contract.schema.json is the JSON Schema 2020-12 of a [Document], in
// which the two schemas are optional, as in tools/list. Its $defs hold those of
// the [Summary] ("summary") and the [Outcome] ("outcome").
//
//go:generate go test -run TestDocumentSchema_IsCurrent -update .

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
	if d.Idempotency != nil && d.Idempotency.Mode == 0 {
		return errors.New("contract: document: idempotency has no mode")
	}
	for i, m := range d.FailureModes {
		if m.Class == 0 || m.By == 0 {
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
	for _, f := range strictjson.FieldsOf(reflect.TypeFor[plainDocument]()) {
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
		if plain.Metadata, err = declare.ParseMetadata(raw); err != nil {
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

// Digest returns "sha256:" and the hexadecimal SHA-256 of the document's RFC
// 8785 form, with both schemas. Two contracts are equal if their digests are
// equal. It returns an error if the document cannot be written as JSON.
func (d Document) Digest() (string, error) {
	data, err := d.MarshalJSON() // json.Marshal would check the text once more
	if err != nil {
		return "", err
	}
	canonical, ok := scan.Canonical(data)
	if !ok {
		if canonical, err = strictjson.Canonical(data); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// surelyHasDigest reports whether Digest cannot fail, because d has no data of
// its author but schemas, and the document is far from the limits of a text.
// Schemas are valid JSON.
func (d Document) surelyHasDigest() bool {
	return d.Metadata == nil && d.Unknown == nil && d.listed() < modestList && isModest(d.InputSchema) && isModest(d.OutputSchema)
}

// modestList is how many items the lists of a modest document have together. An
// item has at most six values, so they are far from the limits of
// [strictjson].
const modestList = strictjson.DefaultElements / 32

// listed returns how many items the lists of a document have together.
func (d Document) listed() int {
	n := len(d.Aliases) + len(d.Reads) + len(d.Permissions) + len(d.DiscoverWith) +
		len(d.SideEffects) + len(d.Lenient) + len(d.FailureModes)
	if d.Idempotency != nil {
		n += len(d.Idempotency.KeyFields)
	}
	if d.Resolves != nil {
		n += len(d.Resolves.Permissions)
	}
	return n
}

// isModest reports whether a JSON text is far from the limits of [strictjson].
func isModest(text json.RawMessage) bool {
	return len(text) < strictjson.DefaultElements/4 && nesting(text) < strictjson.DefaultDepth/2
}

// nesting returns how many arrays and objects are inside each other, at most,
// in a valid JSON text.
func nesting(text json.RawMessage) (deepest int) {
	open := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			open++
			deepest = max(deepest, open)
		case ']', '}':
			open--
		}
	}
	return deepest
}
