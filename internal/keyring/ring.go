package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// MinKeySize is how many bytes a key has at least.
const MinKeySize = 32

// What HKDF derives is told apart by its info. No purpose makes one info of another.
const (
	infoID      = "toolcontract/keyring/1/id"
	infoPurpose = "toolcontract/keyring/1/purpose/"
)

const (
	idSize  = 8
	aesSize = 32
)

type keyID [idSize]byte

// A Ring holds keys, the newest first. [New] makes one. It is safe for concurrent use.
type Ring struct{ keys []key }

type key struct {
	id     keyID
	secret []byte // pseudorandom, extracted from what was given
}

// New returns a ring of keys, of which the first seals and all open. They are not retained. It is an error
// to give none, one that is shorter than [MinKeySize], or one twice; it names the key by its position.
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
	_, err = k.cipherFor("") // what works for one purpose works for all
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

// For returns the sealer for a purpose. It derives keys, so who seals often keeps it. What is sealed for
// one purpose does not open for another.
func (r *Ring) For(purpose string) *Sealer {
	s := &Sealer{current: r.keys[0].id, ciphers: make(map[keyID]cipher.AEAD, len(r.keys))}
	for _, k := range r.keys {
		s.ciphers[k.id], _ = k.cipherFor(purpose) // cannot fail: New has done the same
	}
	return s
}
