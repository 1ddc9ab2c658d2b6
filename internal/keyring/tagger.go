package keyring

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
)

// infoTag begins the HKDF info of the keys that tag. It keeps them apart from
// the keys that seal.
const infoTag = "toolcontract/keyring/1/tag/"

// TagSize is the size of a tag, in bytes.
const TagSize = 16

// A Tagger tags messages for one purpose, and verifies that a key of the ring
// tagged them. Use it for messages that are not secret and have to stay short:
// a tag is an HMAC-SHA256 (RFC 2104), truncated to [TagSize] bytes. Make one
// with [Ring.TaggerFor]. It is safe for concurrent use.
type Tagger struct{ keys [][]byte } // the current one first

// TaggerFor returns the tagger for a purpose. A tag for one purpose does not
// verify for another.
func (r *Ring) TaggerFor(purpose string) *Tagger {
	t := &Tagger{}
	for _, k := range r.keys {
		derived, _ := hkdf.Expand(sha256.New, k.secret, infoTag+purpose, sha256.Size) // the size is in range
		t.keys = append(t.keys, derived)
	}
	return t
}

// Tag returns the tag of a message, made with the first key of the ring.
func (t *Tagger) Tag(message []byte) []byte { return tag(t.keys[0], message) }

// Verify reports whether given is a tag of the message by a key of the ring.
func (t *Tagger) Verify(message, given []byte) bool {
	return len(given) == TagSize && t.VerifyPart(message, given)
}

// VerifyPart reports whether given is the start of such a tag. A short start
// proves nothing: it is only a hint.
func (t *Tagger) VerifyPart(message, given []byte) bool {
	for _, key := range t.keys {
		if part := tag(key, message); hmac.Equal(part[:min(len(given), TagSize)], given) {
			return true
		}
	}
	return false
}

func tag(key, message []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return mac.Sum(nil)[:TagSize]
}
