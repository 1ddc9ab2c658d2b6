package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// A challenger answers requests without a valid token with status 401, which is
// how an MCP client learns that it has to get one, and where: its tools' answers
// have status 200. Requests with one pass, and the guard verifies the token again:
// what keeps the tools does not depend on what is in front of it.
type challenger struct {
	verify func(ctx context.Context, token string) (guard.Principal, error)
	// metadata is the address of the protected resource metadata (RFC 9728 §5.1).
	metadata string
	// log is told why a token does not count; the caller is not.
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
		if !sent { // RFC 6750 §3.1: then there is no error code
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

// challenge says which scopes by the metadata: which of them a user grants is
// between them and the authorization server.
func (c challenger) challenge(w http.ResponseWriter, status int, code, description string) {
	challenge := `Bearer resource_metadata="` + c.metadata + `"`
	if code != "" {
		challenge += `, error="` + code + `", error_description="` + description + `"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, http.StatusText(status), status)
}

// bearer reads the token of RFC 6750 §2.1. Tokens elsewhere, as in the query, are
// none.
func bearer(credentials []string) (token string, sent bool) {
	if len(credentials) == 0 {
		return "", false
	}
	scheme, token, _ := strings.Cut(credentials[0], " ")
	return strings.TrimLeft(token, " "), strings.EqualFold(scheme, "Bearer")
}
