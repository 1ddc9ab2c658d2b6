package pages_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/serve/pages"
)

// guessUntilRefused tries wrong secrets from an address.
func guessUntilRefused(t *testing.T, b *visitor) {
	t.Helper()
	for range 20 {
		require.Equal(t, http.StatusUnauthorized, b.signIn("guess").status)
	}
	require.Equal(t, http.StatusTooManyRequests, b.signIn("123456").status)
}

func TestSignInPage_BoundsTheGuessesOfAnAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newVisitor(t, newSessions(t))
		guessUntilRefused(t, b)
		time.Sleep(time.Second)
		assert.Equal(t, http.StatusSeeOther, b.signIn("123456").status)
	})
}

func TestThreat150_GuessesOfAStrangerLockOutNoOtherPerson(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stranger, person string
		isOther                bool
	}{
		{"another address", "192.0.2.1:1", "192.0.2.2:1", true},
		{"the same address and another port", "192.0.2.1:1", "192.0.2.1:2", false},
		{"another network", "[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", true},
		{"the same network", "[2001:db8::1]:1", "[2001:db8::2]:1", false},
		{"one address in two forms", "192.0.2.1:1", "[::ffff:192.0.2.1]:1", false},
		{"no address", "@", "@", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newVisitor(t, newSessions(t))
				b.address = tt.stranger
				guessUntilRefused(t, b)
				b.address = tt.person
				assert.Equal(t, tt.isOther, b.signIn("123456").status == http.StatusSeeOther)
			})
		})
	}
}

func TestThreat150_AddressesBehindAProxyAreThoseThatItVouchesFor(t *testing.T) {
	t.Parallel()
	const header = "X-Forwarded-For"
	tests := []struct {
		name, proxyHeader string
		stranger, person  []string // values of the header
		isOther           bool
	}{
		{"two clients of the proxy", header, []string{"192.0.2.1"}, []string{"192.0.2.2"}, true},
		{"with ports", header, []string{"192.0.2.1:1"}, []string{"[2001:db8::1]:1"}, true},
		{"an address that the client made up", header, []string{"198.51.100.1, 192.0.2.1"}, []string{"198.51.100.2, 192.0.2.1"}, false},
		{"two clients, each with addresses that it made up", header,
			[]string{"::1, ::2, 192.0.2.1"}, []string{"::1, ::2, 192.0.2.2"}, true},
		{"a header line that the client made up", header, []string{"198.51.100.1", "192.0.2.1"}, []string{"198.51.100.2", "192.0.2.1"},
			false},
		{"no address in the header", header, []string{"one"}, []string{"two"}, false},
		{"a header that the server does not accept", "", []string{"192.0.2.1"}, []string{"192.0.2.2"}, false},
		{"the header of another proxy", "X-Real-IP", []string{"192.0.2.1"}, []string{"192.0.2.2"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newVisitor(t, newSessions(t), func(c *pages.SignIn) { c.ProxyHeader = tt.proxyHeader })
				b.forwarded = tt.stranger
				guessUntilRefused(t, b)
				b.forwarded = tt.person
				assert.Equal(t, tt.isOther, b.signIn("123456").status == http.StatusSeeOther)
			})
		})
	}
}

func TestThreat150_GuessesFromManyAddressesSlowASignInAndDoNotPreventIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newVisitor(t, newSessions(t))
		begun := time.Now()
		b.signIn("123456")
		assert.Zero(t, time.Since(begun), "one visitor waits for nothing")
		for i := range 500 {
			stranger := *b
			stranger.address = fmt.Sprintf("198.51.%d.%d:1", i/250, i%250)
			go stranger.signIn("guess")
		}
		synctest.Wait()
		begun = time.Now()
		assert.Equal(t, http.StatusSeeOther, b.signIn("123456").status)
		assert.Equal(t, 5*time.Second, time.Since(begun))
	})
}
