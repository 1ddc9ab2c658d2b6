package contracttest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// An evidence is what a change went from or to: a value in its canonical form (RFC 8785), or the SHA-256 of one that is
// long, as a JSON string. "" is nothing, and null in the file.
type evidence string

const (
	maxEvidence  = 100 // bytes of a value that is written as it is
	digestPrefix = "sha256:"
)

// evidenceIn is that of a JSON text, "" for none.
func evidenceIn(raw json.RawMessage) evidence {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return ""
	}
	return evidenceOf(tree)
}

// evidenceOf writes text that looks like a digest as a digest, so that the two cannot be taken for each other.
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

// shown is the value for people, "" where it is nothing or too long.
func (e evidence) shown() string {
	if strings.HasPrefix(string(e), `"`+digestPrefix) {
		return ""
	}
	return string(e)
}

// MarshalJSON writes the value or the digest, null for nothing.
func (e evidence) MarshalJSON() ([]byte, error) {
	if e == "" {
		return []byte("null"), nil
	}
	return []byte(e), nil
}

// UnmarshalJSON reads the value in whatever form it is written.
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
