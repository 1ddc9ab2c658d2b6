package contracttest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// An evidence is the old or new value of a change as JSON: the value in
// canonical form (RFC 8785), or a long value's SHA-256 as a string. "" means no
// value, and is null in the file.
type evidence string

const (
	maxEvidence  = 100 // bytes of a value that is written as it is
	digestPrefix = "sha256:"
)

// evidenceIn returns the evidence of a JSON text, or "" if there is none.
func evidenceIn(raw json.RawMessage) evidence {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return ""
	}
	return evidenceOf(tree)
}

// evidenceOf returns the evidence of a JSON tree. It writes a string that looks
// like a digest as its digest, so that the two cannot be confused.
func evidenceOf(tree any) evidence {
	canonical, err := strictjson.Marshal(tree)
	if err != nil {
		return ""
	}
	if len(canonical) <= maxEvidence && !strings.HasPrefix(string(canonical), `"`+digestPrefix) {
		return evidence(canonical)
	}
	sum := sha256.Sum256(canonical)
	return evidence(strconv.Quote(digestPrefix + hex.EncodeToString(sum[:])))
}

// display returns the value for a message, or "" if there is none or only a
// digest.
func (e evidence) display() string {
	if strings.HasPrefix(string(e), `"`+digestPrefix) {
		return ""
	}
	return string(e)
}

// MarshalJSON writes the value or digest, or null if there is none.
func (e evidence) MarshalJSON() ([]byte, error) {
	if e == "" {
		return []byte("null"), nil
	}
	return []byte(e), nil
}

// UnmarshalJSON reads a value, which need not be in canonical form.
func (e *evidence) UnmarshalJSON(data []byte) error {
	canonical, err := strictjson.Canonical(data)
	if err != nil {
		return err
	}
	*e = evidence(canonical)
	if *e == "null" {
		*e = ""
	}
	return nil
}
