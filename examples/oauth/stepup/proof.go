package stepup

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// proofLife bounds the time from the sign-in to the confirmation.
const proofLife = 5 * time.Minute

// A proof records who signed in, when, and for which request. The form that
// shows the request carries the proof, authenticated with HMAC-SHA256 (RFC
// 2104).
type proof struct {
	Person
	At time.Time
	ID string
}

// sign returns a proof as text.
func (p *Page) sign(of proof) (string, error) {
	raw, err := json.Marshal(of)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(raw)
	return text + "." + base64.RawURLEncoding.EncodeToString(p.mac(text)), nil
}

// verify returns a signed proof. It reports false if this page did not sign it,
// if it is for another request, and if it has expired.
func (p *Page) verify(signed, id string) (proof, bool) {
	text, mac, _ := strings.Cut(signed, ".")
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
