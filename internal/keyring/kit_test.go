package keyring_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/keyring"
)

// material returns key material. Another fill makes another key.
func material(fill byte) []byte { return bytes.Repeat([]byte{fill}, keyring.MinKeySize) }

func ring(tb testing.TB, keys ...[]byte) *keyring.Ring {
	tb.Helper()
	r, err := keyring.New(keys...)
	require.NoError(tb, err)
	return r
}

// The layout of a sealed message. Stores and clients hold such messages.
const (
	idAt    = 1
	nonceAt = idAt + 8
	textAt  = nonceAt + 12
	tagSize = 16
)
