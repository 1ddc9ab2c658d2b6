package keyring_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/keyring"
)

func TestMAC_IsHMAC(t *testing.T) {
	t.Parallel()
	m := keyring.NewMAC([]byte("key"))
	var wg sync.WaitGroup
	for _, message := range []string{
		"", "a", "b", "a longer message, of more than one block of the hash function, which has 64 bytes",
	} {
		for range 4 {
			wg.Go(func() {
				want := hmac.New(sha256.New, []byte("key"))
				want.Write([]byte(message))
				got := m.Sum([]byte(message))
				assert.Equal(t, want.Sum(nil), got[:], message)
				half := len(message) / 2
				assert.Equal(t, got, m.Sum([]byte(message[:half]), nil, []byte(message[half:])), message)
			})
		}
	}
	wg.Wait()
}
