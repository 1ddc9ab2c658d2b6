package websession

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// KeyBytes is the length of a key for form tokens.
const KeyBytes = 32

// NewKey returns a random key for [FormToken].
func NewKey() []byte {
	key := make([]byte, KeyBytes)
	rand.Read(key) // never fails
	return key
}

// FormToken returns the token of a form, to be sent in a hidden field. It is an
// HMAC-SHA256 (RFC 2104) over its parts, such as the id of the session and the
// purpose of the form.
func FormToken(key []byte, parts ...string) string {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		_ = binary.Write(mac, binary.BigEndian, uint64(len(part))) // writing to a hash never fails
		mac.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// IsFormToken reports whether a form sent the token of these parts.
func IsFormToken(given string, key []byte, parts ...string) bool {
	return hmac.Equal([]byte(FormToken(key, parts...)), []byte(given))
}
