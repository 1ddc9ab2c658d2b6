package keyring

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
)

// ErrSealed is the only error of Open, whatever the cause, so an attacker
// learns nothing from it.
var ErrSealed = errors.New("keyring: not sealed with these keys for this purpose, or altered")

// A sealed message begins with a header: the version and the key's identifier.
// The nonce, the ciphertext and its tag follow.
const (
	version    = 1
	headerSize = 1 + idSize
)

// A Sealer seals and opens messages for one purpose. Make one with [Ring.For].
// It is safe for concurrent use.
type Sealer struct {
	current keyID
	ciphers map[keyID]cipher.AEAD
	foreign func() // see [Ring.OnForeign]; nil: none
}

// Seal encrypts and authenticates the plaintext, and authenticates additional
// data with it. The result does not contain the additional data, but opens only
// with it. The same plaintext is sealed differently each time. Seal retains
// neither argument.
func (s *Sealer) Seal(plaintext, additional []byte) []byte {
	aead := s.ciphers[s.current]
	sealed := make([]byte, headerSize, headerSize+len(plaintext)+aead.Overhead())
	sealed[0] = version
	copy(sealed[1:], s.current[:])
	return aead.Seal(sealed, nil, plaintext, bind(sealed, additional))
}

// Open returns the plaintext of a message that a key of the ring sealed for
// this purpose, with the same additional data. The plaintext is never nil
// without an error, and every error is [ErrSealed].
func (s *Sealer) Open(sealed, additional []byte) ([]byte, error) {
	if len(sealed) < headerSize || sealed[0] != version {
		return nil, ErrSealed
	}
	header, rest := sealed[:headerSize], sealed[headerSize:]
	aead, ok := s.ciphers[keyID(header[1:])]
	if !ok {
		return nil, ErrSealed
	}
	plaintext, err := aead.Open([]byte{}, nil, rest, bind(header, additional))
	if err != nil {
		return nil, ErrSealed
	}
	return plaintext, nil
}

// isForeign reports whether a message looks sealed by another ring.
func (s *Sealer) isForeign(sealed []byte) bool {
	if len(sealed) < headerSize || sealed[0] != version {
		return false
	}
	_, known := s.ciphers[keyID(sealed[1:headerSize])]
	return !known
}

// bind returns the header and the additional data, each preceded by its length.
func bind(header, additional []byte) []byte {
	bound := make([]byte, 0, 16+len(header)+len(additional))
	for _, part := range [][]byte{header, additional} {
		bound = binary.BigEndian.AppendUint64(bound, uint64(len(part)))
		bound = append(bound, part...)
	}
	return bound
}
