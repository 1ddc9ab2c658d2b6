package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// A challenger answers requests without a valid token with HTTP status 401. MCP
// clients need this status to start an authorization, because results of tools
// always have status 200.
//
// Requests with a valid token pass. The guard verifies the token again, so that
// the tools stay protected without the challenger.
type challenger struct {
	verify func(ctx context.Context, token string) (guard.Principal, error)
	// metadata is the address of the protected resource metadata (RFC 9728
	// §5.1).
	metadata string
	// log gets the reason why a token is refused. The caller must not learn it.
	log *slog.Logger
}

func (c challenger) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		credentials := r.Header.Values("Authorization")
		if len(credentials) > 1 {
			c.challenge(w, http.StatusBadRequest, "invalid_request", "There is more than one Authorization header")
			return
		}
		token, sent := bearer(credentials)
		if !sent { // no error code: RFC 6750 §3.1
			c.challenge(w, http.StatusUnauthorized, "", "")
			return
		}
		_, err := c.verify(r.Context(), token)
		switch {
		case err == nil:
			next.ServeHTTP(w, r)
		case errors.Is(err, guard.ErrUnavailable):
			c.log.Warn("a token cannot be verified now", "error", err)
			w.Header().Set("Retry-After", "5")
			http.Error(w, "The token cannot be verified now.", http.StatusServiceUnavailable)
		default:
			c.log.Warn("a token was refused", "error", err)
			c.challenge(w, http.StatusUnauthorized, "invalid_token", "The access token is not valid")
		}
	})
}

// challenge writes an answer with a WWW-Authenticate header. The header has no
// scopes, because the metadata lists them and the user chooses among them at
// the authorization server.
func (c challenger) challenge(w http.ResponseWriter, status int, code, description string) {
	challenge := `Bearer resource_metadata="` + c.metadata + `"`
	if code != "" {
		challenge += `, error="` + code + `", error_description="` + description + `"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, http.StatusText(status), status)
}

// bearer reads the token from the Authorization header (RFC 6750 §2.1). Tokens
// in other places, such as the query, are ignored.
func bearer(credentials []string) (token string, sent bool) {
	if len(credentials) == 0 {
		return "", false
	}
	scheme, token, _ := strings.Cut(credentials[0], " ")
	return strings.TrimLeft(token, " "), strings.EqualFold(scheme, "Bearer")
}
