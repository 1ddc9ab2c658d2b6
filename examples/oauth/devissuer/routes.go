package devissuer

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

// The paths of the endpoints, relative to the issuer's path.
const (
	keysPath  = "/jwks"
	tokenPath = "/token"
	// wellKnown precedes the issuer's path (RFC 8414 §3.1).
	wellKnown = "/.well-known/oauth-authorization-server"
)

// Paths returns the paths to mount the handler at.
func (i *Issuer) Paths() []string {
	base := i.path()
	return []string{wellKnown + base, base + keysPath, base + tokenPath}
}

func (i *Issuer) path() string {
	u, err := url.Parse(i.address)
	if err != nil {
		return ""
	}
	return u.Path
}

// metadata is the metadata of an authorization server (RFC 8414 §2). It has no
// authorization endpoint, because users cannot authenticate here.
type metadata struct {
	Issuer                            string   `json:"issuer"`
	JWKSURI                           string   `json:"jwks_uri"`
	TokenEndpoint                     string   `json:"token_endpoint"`
	ResponseTypesSupported            []string `json:"response_types_supported"`
	GrantTypesSupported               []string `json:"grant_types_supported"`
	TokenEndpointAuthMethodsSupported []string `json:"token_endpoint_auth_methods_supported"`
	ACRValuesSupported                []string `json:"acr_values_supported"`
}

// A jwk is a public key (RFC 7517 §4).
type jwk struct {
	Type      string `json:"kty"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
	ID        string `json:"kid"`
	Curve     string `json:"crv"`
	X         string `json:"x"`
	Y         string `json:"y"`
}

func (i *Issuer) routes(p point) (http.Handler, error) {
	about, err := json.Marshal(metadata{
		Issuer: i.address, JWKSURI: i.KeysAddress(), TokenEndpoint: i.address + tokenPath,
		ResponseTypesSupported: []string{}, GrantTypesSupported: []string{grantType},
		TokenEndpointAuthMethodsSupported: []string{"none"}, ACRValuesSupported: []string{"pwd", "mfa"},
	})
	if err != nil {
		return nil, err
	}
	keys, err := json.Marshal(map[string][]jwk{
		"keys": {{Type: "EC", Use: "sig", Algorithm: "ES256", ID: i.kid, Curve: "P-256", X: p.x, Y: p.y}},
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+wellKnown+i.path(), document(about))
	mux.Handle("GET "+i.path()+keysPath, document(keys))
	mux.HandleFunc("POST "+i.path()+tokenPath, i.token)
	return http.NewCrossOriginProtection().Handler(mux), nil
}

func document(body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // the client may be gone
	})
}

// ServeHTTP implements [http.Handler]. It refuses requests from other machines.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isLoopback(r.RemoteAddr) {
		http.Error(w, "This issuer serves only the machine that it runs on.", http.StatusForbidden)
		return
	}
	i.handler.ServeHTTP(w, r)
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
