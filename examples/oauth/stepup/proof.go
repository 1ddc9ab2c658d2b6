package stepup

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// proofLife is how long a person may look at what they signed in for.
const proofLife = 5 * time.Minute

// A proof says who signed in, when, and for which request. The form that shows the
// request brings it back, sealed with HMAC-SHA256 (RFC 2104).
type proof struct {
	Person
	At time.Time
	ID string
}

func (p *Page) seal(of proof) (string, error) {
	raw, err := json.Marshal(of)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(raw)
	return text + "." + base64.RawURLEncoding.EncodeToString(p.mac(text)), nil
}

// open reports false for what this page did not seal, for another request, and
// for what has ended.
func (p *Page) open(sealed, id string) (proof, bool) {
	text, mac, _ := strings.Cut(sealed, ".")
	given, err := base64.RawURLEncoding.DecodeString(mac)
	if err != nil || !hmac.Equal(given, p.mac(text)) {
		return proof{}, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	var of proof
	if err != nil || json.Unmarshal(raw, &of) != nil {
		return proof{}, false
	}
	return of, of.ID == id && time.Since(of.At) < proofLife
}

func (p *Page) mac(text string) []byte {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
