package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// MinKeySize is the minimum size of a key, in bytes.
const MinKeySize = 32

// The info strings of HKDF. They keep derived keys apart, because no purpose
// turns one into another.
const (
	infoID      = "toolcontract/keyring/1/id"
	infoPurpose = "toolcontract/keyring/1/purpose/"
)

const (
	idSize  = 8
	aesSize = 32
)

type keyID [idSize]byte

// A Ring holds keys, the newest first. Make one with [New]. It is safe for
// concurrent use.
type Ring struct {
	keys    []key
	foreign func()
}

type key struct {
	id     keyID
	secret []byte // the pseudorandom key that HKDF extracts
}

// New returns a ring of keys. The first key seals; all keys open. New does not
// retain the slices. It returns an error if there is no key, a key is shorter
// than [MinKeySize], or a key is given twice. The error identifies keys by
// position.
func New(keys ...[]byte) (*Ring, error) {
	if len(keys) == 0 {
		return nil, errors.New("keyring: there is no key")
	}
	r := &Ring{}
	seen := map[keyID]int{}
	for i, material := range keys {
		if len(material) < MinKeySize {
			return nil, fmt.Errorf("keyring: key %d is shorter than %d bytes", i+1, MinKeySize)
		}
		k, err := newKey(material)
		if err != nil {
			return nil, fmt.Errorf("keyring: key %d: %w", i+1, err)
		}
		if first, twice := seen[k.id]; twice {
			return nil, fmt.Errorf("keyring: keys %d and %d are the same", first, i+1)
		}
		seen[k.id] = i + 1
		r.keys = append(r.keys, k)
	}
	return r, nil
}

func newKey(material []byte) (key, error) {
	secret, err := hkdf.Extract(sha256.New, material, nil)
	if err != nil {
		return key{}, err
	}
	id, err := hkdf.Expand(sha256.New, secret, infoID, idSize)
	if err != nil {
		return key{}, err
	}
	k := key{id: keyID(id), secret: secret}
	_, err = k.cipherFor("") // if this works for one purpose, it works for all
	return k, err
}

func (k key) cipherFor(purpose string) (cipher.AEAD, error) {
	derived, err := hkdf.Expand(sha256.New, k.secret, infoPurpose+purpose, aesSize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// OnForeign sets a function that [Sealer.OpenText] calls for a text that looks
// sealed by another ring. Call it before [Ring.For].
func (r *Ring) OnForeign(f func()) { r.foreign = f }

// For returns the sealer for a purpose. For derives keys, so callers that seal
// often should keep the sealer. A message sealed for one purpose does not open
// for another.
func (r *Ring) For(purpose string) *Sealer {
	s := &Sealer{current: r.keys[0].id, ciphers: make(map[keyID]cipher.AEAD, len(r.keys)), foreign: r.foreign}
	for _, k := range r.keys {
		s.ciphers[k.id], _ = k.cipherFor(purpose) // cannot fail, because New tried it
	}
	return s
}
