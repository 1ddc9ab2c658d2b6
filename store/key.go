package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
)

// A Scope is the namespace of a key: the same text from another principal, or
// for another tool, is a different key.
type Scope struct {
	// Namespace separates servers that share a store.
	Namespace string
	// Issuer, Tenant and Principal identify whom the call is made for.
	Issuer, Tenant, Principal string
	// Tool is the oldest name declared in the tool's contract.
	Tool string
}

// A Key is the name under which a [Store] keeps a record, a nonce or counts. It
// consists of digests, so that a store reveals neither principals nor
// arguments. Stores refuse the zero Key.
type Key struct {
	// Partition is the digest of the scope without its tool. All keys of one
	// principal share a partition, so that a distributed store can keep them
	// together.
	Partition Digest
	// ID is the digest of the whole scope and the key.
	ID Digest
}

// Key returns the Key of a caller's key, or of its arguments, in this scope:
// SHA-256 over the parts of the scope and the key, each preceded by its length.
func (s Scope) Key(key string) Key {
	return Key{
		Partition: digestOf("partition", s.Namespace, s.Issuer, s.Tenant, s.Principal),
		ID:        digestOf("key", s.Namespace, s.Issuer, s.Tenant, s.Principal, s.Tool, key),
	}
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k == Key{} }

// String returns the partition and the ID in lower-case hexadecimal, joined by
// a dot. Logs name records in this form.
func (k Key) String() string {
	var text [4*len(Digest{}) + 1]byte
	point := hex.Encode(text[:], k.Partition[:])
	text[point] = '.'
	hex.Encode(text[point+1:], k.ID[:])
	return string(text[:])
}

// ParseKey parses the form that [Key.String] returns.
func ParseKey(s string) (Key, error) {
	partition, id, ok := strings.Cut(s, ".")
	var k Key
	if !ok || !decodeDigest(&k.Partition, partition) || !decodeDigest(&k.ID, id) || k.IsZero() {
		return Key{}, errors.New("store: malformed lookup key: want two SHA-256 digests in lower-case hexadecimal, joined by a point")
	}
	return k, nil
}

func decodeDigest(d *Digest, s string) bool {
	if len(s) != 2*len(d) || strings.ToLower(s) != s {
		return false
	}
	_, err := hex.Decode(d[:], []byte(s))
	return err == nil
}

// A Digest is a SHA-256 hash (FIPS 180-4).
type Digest [sha256.Size]byte

// Fingerprint returns the digest of a call's arguments, which must be in a
// canonical form such as that of RFC 8785. Two calls with the same key and
// different fingerprints conflict.
func Fingerprint(canonical []byte) Digest { return sha256.Sum256(canonical) }

// String returns the digest in lower-case hexadecimal, 64 characters.
func (d Digest) String() string {
	var text [2 * len(d)]byte
	hex.Encode(text[:], d[:])
	return string(text[:])
}

// digestOf hashes parts, each preceded by its length, so that no two lists of
// parts hash the same bytes.
func digestOf(parts ...string) Digest {
	var room [512]byte
	message := room[:0]
	for _, part := range parts {
		message = binary.BigEndian.AppendUint64(message, uint64(len(part)))
		message = append(message, part...)
	}
	return sha256.Sum256(message)
}

// An Owner identifies one execution of a call. It is opaque to stores. At least
// 40 of its bits are random; [NewOwner] makes all of them random. Every change to
// a record names the record's owner, so that an execution that lost its record
// can neither overwrite nor remove its successor's. Stores refuse the zero
// Owner.
type Owner [16]byte

// NewOwner returns a new random owner.
func NewOwner() Owner {
	var o Owner
	rand.Read(o[:]) // never fails
	return o
}

// IsZero reports whether o is the zero Owner.
func (o Owner) IsZero() bool { return o == Owner{} }
