package keyring

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

// A MAC makes HMAC-SHA256 codes (RFC 2104) with one key. It keeps prepared
// states of the key, because preparing one costs as much as a short message.
// Make one with [NewMAC]. It is safe for concurrent use.
type MAC struct{ states sync.Pool }

// NewMAC returns the MAC of a key, which the caller must not change.
func NewMAC(key []byte) *MAC {
	return &MAC{sync.Pool{New: func() any { return &state{Hash: hmac.New(sha256.New, key)} }}}
}

// A state is a prepared state of a key, with room for a code.
type state struct {
	hash.Hash

	code [sha256.Size]byte
}

// Sum returns the code of the concatenated parts.
func (m *MAC) Sum(parts ...[]byte) [sha256.Size]byte {
	s, _ := m.states.Get().(*state) // always one
	defer m.states.Put(s)
	s.Reset()
	for _, part := range parts {
		s.Write(part)
	}
	s.Hash.Sum(s.code[:0])
	return s.code
}
