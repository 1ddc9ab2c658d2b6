package serve_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve"
)

func TestListen_RefusesUnsafeAddresses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, address string
		config        serve.Config
		remedy        string
	}{
		{"every interface", "0.0.0.0:0", serve.Config{}, "serve.Config"},
		{"every interface of IPv6", "[::]:0", serve.Config{}, "serve.Config"},
		{"no host", ":0", serve.Config{}, "serve.Config"},
		{"a public name in clear text", "0.0.0.0:0", serve.Config{Origin: "http://mail.example.com"}, "https"},
		{"a public name in clear text behind a proxy", "127.0.0.1:0", serve.Config{Origin: "http://mail.example.com"},
			"https"},
		{"an origin with a query", "127.0.0.1:0", serve.Config{Origin: "https://mail.example.com/desk?x"}, "such as"},
		{"an origin with a path that leads out", "127.0.0.1:0", serve.Config{Origin: "https://mail.example.com/a/.."}, "such as"},
		{"a path that the proxy cannot remove", "127.0.0.1:0", serve.Config{Origin: "https://mail.example.com/", ProxyStrips: true},
			"leave it out"},
		{"a proxy without an origin", "127.0.0.1:0", serve.Config{ProxyStrips: true}, "leave it out"},
		{"an origin without a scheme", "127.0.0.1:0", serve.Config{Origin: "mail.example.com"}, "such as"},
		{"an origin with a user", "127.0.0.1:0", serve.Config{Origin: "https://a@mail.example.com"}, "such as"},
		{"every origin", "127.0.0.1:0", serve.Config{AllowedOrigins: []string{"*"}}, "such as"},
		{"the origin null", "127.0.0.1:0", serve.Config{AllowedOrigins: []string{"null"}}, "such as"},
		{"TLS without a certificate", "127.0.0.1:0", serve.Config{TLS: &tls.Config{}}, "Certificates"},
		{"no time for bodies", "127.0.0.1:0", serve.Config{BodyTimeout: -1}, "positive"},
		{"a negative delay", "127.0.0.1:0", serve.Config{DrainDelay: -1}, "negative"},
		{"no address", "nowhere", serve.Config{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := serve.Listen(tt.address, tt.config)
			require.Error(t, err)
			assert.Nil(t, s)
			assert.Contains(t, err.Error(), tt.remedy)
		})
	}
	_, err := serve.New(nil, serve.Config{})
	require.Error(t, err)
}

func TestServe_RefusesGuardsThatMustNotServe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		config  serve.Config
		guard   []guard.Option
		refused bool
	}{
		{"a local server without principals", serve.Config{}, nil, false},
		{"a public server without principals", serve.Config{Origin: "https://mail.example.com"}, nil, true},
		{"a public server with principals", serve.Config{Origin: "https://mail.example.com"},
			[]guard.Option{guard.WithPrincipal(guard.PrincipalFunc(identified))}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := serve.Listen("127.0.0.1:0", tt.config)
			require.NoError(t, err)
			err = start(t, s, newGuard(t, tt.guard...))()
			if !tt.refused {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "guard.WithPrincipal")
			assert.NoError(t, s.Close())
		})
	}
	s, err := serve.Listen("127.0.0.1:0", serve.Config{})
	require.NoError(t, err)
	require.Error(t, s.Serve(t.Context(), nil))
}

func TestServe_ReportsWrongPatterns(t *testing.T) {
	t.Parallel()
	s, err := serve.Listen("127.0.0.1:0", serve.Config{})
	require.NoError(t, err)
	s.Handle("/mcp", answer("a"))
	s.Handle("/mcp", answer("b"))
	s.Handle("/nil", nil)
	g := newGuard(t)
	require.Error(t, s.Serve(t.Context(), g))
	_, err = net.Dial("tcp", strings.TrimPrefix(s.Origin(), "http://"))
	require.Error(t, err, "the address is closed")
}

// Names that an attacker can point at this machine, and pages of other sites.
func TestServe_AnswersOnlyToItsNamesAndPages(t *testing.T) {
	t.Parallel()
	const public = "https://mail.example.com"
	s, err := serve.Listen("127.0.0.1:0", serve.Config{
		Origin: public + "/", AllowedOrigins: []string{"https://inspector.example.com:8443"},
	})
	require.NoError(t, err)
	assert.Equal(t, public, s.Origin())
	addresses := make(chan string, 1)
	plain, err := serve.Listen("127.0.0.1:0", serve.Config{Started: func(origin string) { addresses <- origin }})
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(plain.Origin(), "http://"))
	require.NoError(t, err)
	for _, one := range []*serve.Server{s, plain} {
		one.Handle("/mcp", answer("served"))
	}
	local := <-func() chan string { start(t, plain, newGuard(t)); return addresses }()
	assert.Equal(t, plain.Origin(), local)

	tests := []struct {
		name, host, origin string
		want               int
	}{
		{"by its address", "", "", http.StatusOK},
		{"by another name of the interface", "localhost:" + port, "", http.StatusOK},
		{"by the IPv6 address", "[::1]:" + port, "", http.StatusOK},
		{"in capitals", "LOCALHOST:" + port, "", http.StatusOK},
		{"a rebound name", "evil.example:" + port, "", http.StatusMisdirectedRequest},
		{"a rebound name without a port", "evil.example", "", http.StatusMisdirectedRequest},
		{"another port", "127.0.0.1:1", "", http.StatusMisdirectedRequest},
		{"a suffix", "localhost:" + port + ".evil.example", "", http.StatusMisdirectedRequest},
		{"a page of its own", "", local, http.StatusOK},
		{"a page of its own under another name", "", "http://localhost:" + port, http.StatusOK},
		{"a page of another site", "", "https://evil.example", http.StatusForbidden},
		{"a page of another port", "", "http://localhost:1", http.StatusForbidden},
		{"a page over https", "", "https://localhost:" + port, http.StatusForbidden},
		{"a page without an origin", "", "null", http.StatusForbidden},
		{"an empty origin", "", " ", http.StatusForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions} {
				status, _ := get(t, http.DefaultClient, method, local+"/mcp", func(r *http.Request) {
					r.Host = tt.host
					if tt.origin != "" {
						r.Header.Set("Origin", tt.origin)
					}
				})
				assert.Equal(t, tt.want, status, method)
			}
		})
	}
	status, _ := get(t, http.DefaultClient, http.MethodGet, local+"/healthz", func(r *http.Request) { r.Host = "10.0.0.7:8080" })
	assert.Equal(t, http.StatusOK, status, "orchestrators call the health check by address")
}

func TestServe_BehindAProxyAnswersToItsPublicName(t *testing.T) {
	t.Parallel()
	started := make(chan string, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s, err := serve.New(l, serve.Config{
		Origin: "https://mail.example.com", AllowedOrigins: []string{"https://inspector.example.com:8443"},
		Started: func(origin string) { started <- origin },
	})
	require.NoError(t, err)
	s.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.True(t, adapter.HostChecked(r.Context()))
	}))
	start(t, s, newGuard(t, guard.WithPrincipal(guard.PrincipalFunc(identified))))
	assert.Equal(t, "https://mail.example.com", <-started)
	tests := []struct {
		host, origin string
		want         int
	}{
		{"mail.example.com", "", http.StatusOK},
		{"mail.example.com:443", "", http.StatusOK},
		{"", "", http.StatusOK}, // the proxy sends the address that it calls
		{"mail.example.com:8443", "", http.StatusMisdirectedRequest},
		{"example.com", "", http.StatusMisdirectedRequest},
		{"mail.example.com", "https://mail.example.com", http.StatusOK},
		{"mail.example.com", "https://inspector.example.com:8443", http.StatusOK},
		{"mail.example.com", "https://inspector.example.com", http.StatusForbidden},
		{"mail.example.com", "http://mail.example.com", http.StatusForbidden},
		{"mail.example.com", "https://mail.example.com.evil.example", http.StatusForbidden},
	}
	for _, tt := range tests {
		status, _ := get(t, http.DefaultClient, http.MethodPost, "http://"+l.Addr().String()+"/mcp", func(r *http.Request) {
			r.Host = tt.host
			r.Header.Set("X-Forwarded-Host", "mail.example.com")
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
		})
		assert.Equal(t, tt.want, status, "%s %s", tt.host, tt.origin)
	}
	assert.False(t, adapter.HostChecked(t.Context()))
}

// A handler's middleware sees only requests that passed the checks of the
// server, and the path of its pattern.
func TestServe_ChecksRequestsBeforeMiddleware(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s, err := serve.New(l, serve.Config{Origin: "https://mail.example.com/desk"})
	require.NoError(t, err)
	var passed []string
	s.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		passed = append(passed, r.URL.Path+" "+r.Header.Get("Authorization"))
		r.Header.Del("Authorization")
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			passed = append(passed, "handler"+r.Header.Get("Authorization"))
		}).ServeHTTP(w, r)
	}))
	start(t, s, newGuard(t, guard.WithPrincipal(guard.PrincipalFunc(identified))))
	address := "http://" + l.Addr().String()
	send := func(path, host, origin string) int {
		status, _ := get(t, http.DefaultClient, http.MethodPost, address+path, func(r *http.Request) {
			r.Host = host
			r.Header.Set("Origin", origin)
			r.Header.Set("Authorization", "Bearer x")
		})
		return status
	}
	const public = "https://mail.example.com"
	assert.Equal(t, http.StatusMisdirectedRequest, send("/desk/mcp", "evil.example", public))
	assert.Equal(t, http.StatusForbidden, send("/desk/mcp", "mail.example.com", "https://evil.example"))
	assert.Equal(t, http.StatusNotFound, send("/mcp", "mail.example.com", public))
	assert.Empty(t, passed)
	assert.Equal(t, http.StatusOK, send("/desk/mcp", "mail.example.com", public))
	assert.Equal(t, []string{"/mcp Bearer x", "handler"}, passed)
}

func TestHandleTree_MountsAPageAndItsFiles(t *testing.T) {
	t.Parallel()
	s, err := serve.Listen("127.0.0.1:0", serve.Config{})
	require.NoError(t, err)
	s.HandleTree("/approvals", answer("page"))
	s.HandleTree("/", answer("the rest"))
	start(t, s, newGuard(t))
	for path, want := range map[string]string{"/approvals": "page", "/approvals/": "page", "/approvals/style.css": "page",
		"/approvalsx": "the rest", "/": "the rest"} {
		status, body := get(t, http.DefaultClient, http.MethodGet, s.Origin()+path, nil)
		assert.Equal(t, http.StatusOK, status, path)
		assert.Equal(t, want, body, path)
	}
}

func TestServe_WithTLS(t *testing.T) {
	t.Parallel()
	certified := httptest.NewTLSServer(nil)
	t.Cleanup(certified.Close)
	s, err := serve.Listen("127.0.0.1:0", serve.Config{TLS: certified.TLS})
	require.NoError(t, err)
	s.Handle("/mcp", answer("over TLS"))
	require.True(t, strings.HasPrefix(s.Origin(), "https://127.0.0.1:"), s.Origin())
	stop := start(t, s, newGuard(t))
	status, body := get(t, certified.Client(), http.MethodGet, s.Origin()+"/mcp", nil)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "over TLS", body)
	require.NoError(t, stop())
}
