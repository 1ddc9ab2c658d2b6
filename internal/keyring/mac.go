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
	return &MAC{sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

// Sum returns the code of a message.
func (m *MAC) Sum(message []byte) (code [sha256.Size]byte) {
	state, _ := m.states.Get().(hash.Hash) // always one
	state.Reset()
	state.Write(message)
	state.Sum(code[:0])
	m.states.Put(state)
	return code
}
