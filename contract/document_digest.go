package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract/internal/scan"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

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
