package keyring_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/keyring"
)

// material returns a key that differs from those of other fills.
func material(fill byte) []byte { return bytes.Repeat([]byte{fill}, keyring.MinKeySize) }

func ring(tb testing.TB, keys ...[]byte) *keyring.Ring {
	tb.Helper()
	r, err := keyring.New(keys...)
	require.NoError(tb, err)
	return r
}

// The layout of what is sealed, which is on the wire and in stores.
const (
	idAt    = 1
	nonceAt = idAt + 8
	textAt  = nonceAt + 12
	tagSize = 16
)
