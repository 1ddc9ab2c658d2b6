package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// A Digest is a SHA-256 hash (FIPS 180-4).
type Digest [sha256.Size]byte

// Fingerprint returns the digest of a call's arguments, given in a canonical
// form such as the one of RFC 8785. Two calls with one key and different
// fingerprints are in conflict.
func Fingerprint(canonical []byte) Digest { return sha256.Sum256(canonical) }

// String returns the digest in lower-case hexadecimal, 64 characters.
func (d Digest) String() string {
	var text [2 * len(d)]byte
	hex.Encode(text[:], d[:])
	return string(text[:])
}

// digestOf hashes parts, each preceded by its length, so that no two lists of
// parts have the same bytes.
func digestOf(parts ...string) Digest {
	var room [512]byte
	message := room[:0]
	for _, part := range parts {
		message = binary.BigEndian.AppendUint64(message, uint64(len(part)))
		message = append(message, part...)
	}
	return sha256.Sum256(message)
}
