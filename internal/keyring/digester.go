package keyring

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
)

// infoDigest begins the HKDF info of the keys that digest.
const infoDigest = "toolcontract/keyring/1/digest/"

// DigestSize is the size of a digest, in bytes.
const DigestSize = sha256.Size

// A Digester makes digests that reveal nothing about a message without a key of
// the ring: the identifier of the key, then an HMAC-SHA256 (RFC 2104),
// truncated to fit. Make one with [Ring.DigesterFor]. It is safe for concurrent
// use.
type Digester struct {
	current keyID
	keys    map[keyID]*MAC
}

// DigesterFor returns the digester for a purpose.
func (r *Ring) DigesterFor(purpose string) *Digester {
	d := &Digester{current: r.keys[0].id, keys: make(map[keyID]*MAC, len(r.keys))}
	for _, k := range r.keys {
		key, _ := hkdf.Expand(sha256.New, k.secret, infoDigest+purpose, sha256.Size) // the size is in range
		d.keys[k.id] = NewMAC(key)
	}
	return d
}

// Digest returns the digest of the concatenated parts, made with the first key
// of the ring.
func (d *Digester) Digest(parts ...[]byte) [DigestSize]byte { return d.digest(d.current, parts) }

// Matches reports whether a digest is that of the concatenated parts, and
// whether the ring has the key that made it. A digest of an unknown key cannot
// be compared.
func (d *Digester) Matches(digest [DigestSize]byte, parts ...[]byte) (same, known bool) {
	id := keyID(digest[:idSize])
	if _, known = d.keys[id]; !known {
		return false, false
	}
	want := d.digest(id, parts)
	return hmac.Equal(digest[:], want[:]), true
}

func (d *Digester) digest(id keyID, parts [][]byte) (digest [DigestSize]byte) {
	code := d.keys[id].Sum(parts...)
	copy(digest[:], id[:])
	copy(digest[idSize:], code[:])
	return digest
}
