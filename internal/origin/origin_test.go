package origin_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/origin"
)

func TestParse_TakesOnlyOrigins(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://mail.example.com": true, "https://mail.example.com/": true, "http://127.0.0.1:8080": true, "http://[::1]:80": true,
		"": false, "mail.example.com": false, "https://": false, "https://:443": false, "https://a@b.example": false,
		"https://a.example/mcp": false,
		"https://a.example?x":   false, "https://a.example?x=1": false, "https://a.example#x": false,
		"ftp://a.example": false, "null": false, "*": false,
	} {
		_, ok := origin.Parse(text)
		assert.Equal(t, want, ok, text)
	}
}

func TestOf_IsWhatBrowsersSend(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "https://mail.example.com", origin.Of("https", "Mail.Example.com:443"))
	assert.Equal(t, "http://mail.example.com:443", origin.Of("http", "mail.example.com:443"))
	assert.Equal(t, "http://[::1]", origin.Of("http", "[::1]:80"))
}

func TestIsSafe_NeedsTLSOutsideThisMachine(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://login.example.com/jwks": true, "http://127.0.0.1:8080/jwks": true, "http://localhost/x": true, "http://[::1]/x": true,
		"http://login.example.com/jwks": false, "http://localhost.evil.example": false,
		"http://127.0.0.1.evil.example": false, "ftp://127.0.0.1": false,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		assert.Equal(t, want, origin.IsSafe(u), address)
	}
}
