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
	return &MAC{sync.Pool{New: func() any { return &macState{Hash: hmac.New(sha256.New, key)} }}}
}

// A macState is a prepared state of a key, with room for one code.
type macState struct {
	hash.Hash

	code [sha256.Size]byte
}

// Sum returns the code of a message.
func (m *MAC) Sum(message []byte) [sha256.Size]byte {
	state := m.states.Get().(*macState) //nolint:forcetypeassert // always one
	defer m.states.Put(state)
	state.Reset()
	state.Write(message)
	state.Hash.Sum(state.code[:0])
	return state.code
}
