package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/origin"
)

// wellKnown precedes the path of the resource (RFC 9728 §3.1).
const wellKnown = "/.well-known/oauth-protected-resource"

// A ResourceConfig configures a [Resource]. Address, Issuers and Verify are
// required.
type ResourceConfig struct {
	// Address is the address of the MCP endpoint, such as
	// https://mail.example.com/mcp. It identifies the resource, and is the aud
	// of its tokens (RFC 8707). It must be https, or http on a loopback
	// address.
	Address string
	// Name is the resource's name for people. Empty means none.
	Name string
	// Issuers are the authorization servers whose tokens are accepted.
	Issuers []string
	// Scopes are all scopes that the resource knows. They appear in the
	// metadata.
	Scopes []string
	// Verify verifies a bearer token and returns its principal, as
	// [Verifier.Principal] does for JWTs. An error that wraps
	// [guard.ErrUnavailable] means that the token could not be verified right
	// now. It must be safe for concurrent use.
	Verify func(ctx context.Context, token string) (guard.Principal, error)
	// AllowAnonymous lets requests without a token pass, for servers with tools
	// that need no principal. A token, if sent, must still be valid.
	AllowAnonymous bool
	// RequiredScopes are the scopes that every token needs. A token without one
	// of them gets status 403 with insufficient_scope. They are compared to the
	// principal's permissions. Default: none; the tools require their own
	// permissions.
	RequiredScopes []string
	// ChallengeScopes are the scopes that a challenge asks a client without a
	// token to request. Default: RequiredScopes. If both are empty, the
	// challenge names none, and clients take those of the metadata.
	ChallengeScopes []string
	// Logger gets the reasons why tokens are refused, which callers do not
	// learn. Nil means slog.Default().
	Logger *slog.Logger
}

// A Resource is a protected resource. It is the [http.Handler] of its metadata.
// [NewResource] returns one. It is safe for concurrent use.
type Resource struct {
	config   ResourceConfig
	address  *url.URL
	metadata []byte
}

// NewResource returns a resource. The error names every missing or invalid
// field.
func NewResource(c ResourceConfig) (*Resource, error) {
	address, err := c.check()
	if err != nil {
		return nil, err
	}
	c.RequiredScopes = slices.Clone(c.RequiredScopes)
	c.ChallengeScopes = slices.Clone(c.ChallengeScopes)
	if len(c.ChallengeScopes) == 0 {
		c.ChallengeScopes = c.RequiredScopes
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	metadata, err := json.Marshal(metadata{
		Resource: c.Address, AuthorizationServers: c.Issuers, ScopesSupported: c.Scopes,
		BearerMethodsSupported: []string{"header"}, ResourceName: c.Name,
	})
	if err != nil {
		return nil, err
	}
	return &Resource{config: c, address: address, metadata: metadata}, nil
}

func (c ResourceConfig) check() (*url.URL, error) {
	var errs []error
	wrong := func(is bool, message string) {
		if is {
			errs = append(errs, errors.New("oauth: "+message))
		}
	}
	address, ok := safeAddress(c.Address)
	wrong(!ok, "Address is not an https address without query and fragment, "+
		"such as https://mail.example.com/mcp; http is only for loopback addresses")
	wrong(len(c.Issuers) == 0, "Issuers is empty, so no client could find out where to get a token; list the authorization servers")
	wrong(slices.ContainsFunc(c.Issuers, func(one string) bool {
		_, ok := safeAddress(one)
		return !ok
	}), "Issuers has an entry that is not an https address; http is only for loopback addresses")
	wrong(c.Verify == nil, "Verify is nil; pass a function such as Verifier.Principal")
	notScopes := func(field string, scopes []string) {
		wrong(slices.ContainsFunc(scopes, func(scope string) bool { return !isScope(scope) }),
			field+" has an entry that is not a scope (RFC 6749 §3.3)")
	}
	notScopes("Scopes", c.Scopes)
	notScopes("RequiredScopes", c.RequiredScopes)
	notScopes("ChallengeScopes", c.ChallengeScopes)
	return address, errors.Join(errs...)
}

func safeAddress(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	return u, err == nil && u.Hostname() != "" && u.User == nil && !u.ForceQuery && u.RawQuery == "" && u.Fragment == "" &&
		u.String() == text && origin.IsSafe(u)
}

// isScope reports whether a text is a scope-token of RFC 6749 §3.3, which a
// quoted-string can hold as it is.
func isScope(scope string) bool {
	return scope != "" && !strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// metadata is the metadata of a protected resource (RFC 9728 §2).
type metadata struct {
	Resource               string   `json:"resource"`
	AuthorizationServers   []string `json:"authorization_servers"`
	ScopesSupported        []string `json:"scopes_supported,omitempty"`
	BearerMethodsSupported []string `json:"bearer_methods_supported"`
	ResourceName           string   `json:"resource_name,omitempty"`
}

// MetadataPath returns the path to mount the resource at, such as
// /.well-known/oauth-protected-resource/mcp.
func (r *Resource) MetadataPath() string {
	return wellKnown + strings.TrimSuffix(r.address.EscapedPath(), "/")
}

// MetadataAddress returns the address of the metadata, for
// mcpgo.WithResourceMetadata.
func (r *Resource) MetadataAddress() string {
	return r.address.Scheme + "://" + r.address.Host + r.MetadataPath()
}

// ServeHTTP implements [http.Handler]. It serves the metadata, which is public.
// Pages of other sites may read it, because MCP clients run in browsers too.
func (r *Resource) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization, MCP-Protocol-Version")
	switch req.Method {
	case http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
	case http.MethodGet, http.MethodHead:
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store")
		_, _ = w.Write(r.metadata) // the client may be gone
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}
