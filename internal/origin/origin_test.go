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

func TestParseBase_TakesAPathThatNeedsNoEscapes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://a.example": "", "https://a.example/": "", "https://a.example/desk": "/desk", "https://a.example/desk/": "/desk",
		"https://a.example/a-1/B_2/c.d~": "/a-1/B_2/c.d~", "http://[::1]:80/desk": "/desk",
	} {
		u, ok := origin.ParseBase(text)
		require.True(t, ok, text)
		assert.Equal(t, want, u.Path, text)
	}
	for _, text := range []string{
		"", "/desk", "a.example/desk", "https:///desk", "https://:443/desk", "https://a@b.example/desk", "https://a.example//",
		"https://a.example/desk//", "https://a.example//desk", "https://a.example/a//b", "https://a.example/..",
		"https://a.example/a/../b", "https://a.example/./b", "https://a.example/.well-known", "https://a.example/a/.b",
		"https://a.example/desk?", "https://a.example/desk?x=1", "https://a.example/desk#x", "https://a.example/de%73k",
		"https://a.example/a%2fb", "https://a.example/a b", "https://a.example/ä", "https://a.example/{x}", "https://a.example/a;b",
		`https://a.example/a\b`, "ftp://a.example/desk",
	} {
		u, ok := origin.ParseBase(text)
		assert.False(t, ok, text)
		assert.Nil(t, u, text)
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
