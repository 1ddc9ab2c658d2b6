package oauth

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/guard"
)

// The error codes of RFC 6750 §3.1.
const (
	invalidRequest    = "invalid_request"
	invalidToken      = "invalid_token"
	insufficientScope = "insufficient_scope"
)

var errNoSubject = errors.New("oauth: the verified token has no subject")

// Protect returns a handler that passes a request on if its token is valid.
// Otherwise it answers with a challenge in WWW-Authenticate that names the
// metadata:
//
//   - 401 without an error code if there is no bearer token, unless the
//     configuration allows anonymous requests
//   - 401 with invalid_token if the token is not valid
//   - 403 with insufficient_scope if it lacks one of RequiredScopes
//   - 400 with invalid_request if there are several Authorization headers
//
// If a token cannot be verified right now, the status is 503. Tokens count only
// in the Authorization header, not in the query or the body.
func (r *Resource) Protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		credentials := req.Header.Values("Authorization")
		if len(credentials) == 0 && r.config.AllowAnonymous {
			next.ServeHTTP(w, req)
			return
		}
		if len(credentials) > 1 {
			r.challenge(w, http.StatusBadRequest, invalidRequest, "There is more than one Authorization header", nil)
			return
		}
		token, sent := bearer(credentials)
		if !sent { // no error code: RFC 6750 §3.1
			r.challenge(w, http.StatusUnauthorized, "", "", r.config.ChallengeScopes)
			return
		}
		p, err := r.config.Verify(req.Context(), token)
		if err == nil && p.IsAnonymous() {
			err = errNoSubject
		}
		switch {
		case errors.Is(err, guard.ErrUnavailable):
			r.config.Logger.Warn("a token cannot be verified now", "error", err)
			w.Header().Set("Retry-After", "5")
			http.Error(w, "The token cannot be verified now.", http.StatusServiceUnavailable)
		case err != nil:
			r.config.Logger.Warn("a token was refused", "error", err)
			r.challenge(w, http.StatusUnauthorized, invalidToken, "The access token is not valid", r.config.ChallengeScopes)
		case !r.suffices(p):
			r.challenge(w, http.StatusForbidden, insufficientScope, "Every request needs more scopes", r.config.RequiredScopes)
		default:
			next.ServeHTTP(w, req)
		}
	})
}

func (r *Resource) suffices(p guard.Principal) bool {
	return !slices.ContainsFunc(r.config.RequiredScopes, func(scope string) bool { return !slices.Contains(p.Permissions, scope) })
}

// challenge writes an answer with a WWW-Authenticate header.
func (r *Resource) challenge(w http.ResponseWriter, status int, code, description string, scopes []string) {
	challenge := `Bearer resource_metadata="` + r.MetadataAddress() + `"`
	if code != "" {
		challenge += `, error="` + code + `", error_description="` + description + `"`
	}
	if len(scopes) > 0 {
		challenge += `, scope="` + strings.Join(scopes, " ") + `"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, http.StatusText(status), status)
}

// bearer reads the token from the Authorization header (RFC 6750 §2.1).
func bearer(credentials []string) (token string, sent bool) {
	if len(credentials) == 0 {
		return "", false
	}
	scheme, token, _ := strings.Cut(credentials[0], " ")
	return strings.TrimLeft(token, " "), strings.EqualFold(scheme, "Bearer")
}
