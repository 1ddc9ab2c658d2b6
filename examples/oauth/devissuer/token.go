package devissuer

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// grantType is invented: the request names the subject of the token.
	grantType = "urn:example:demonstration"
	clientID  = "demonstration"
	// lifetime is the default lifetime of a token.
	lifetime = 5 * time.Minute
	// longest bounds the age and the lifetime in a request, in seconds.
	longest = 24 * 60 * 60
	maxForm = 8 << 10 // bytes
)

// The fields of a token request.
const (
	fieldGrantType = "grant_type" // optional
	fieldSubject   = "subject"
	fieldTenant    = "tenant"
	fieldScope     = "scope"
	fieldResource  = "resource" // RFC 8707
	fieldACR       = "acr"
	fieldAge       = "authenticated_ago" // in seconds; if missing, the token has no auth_time
	fieldExpiresIn = "expires_in"        // in seconds; below zero, the token has expired
)

// The error codes of RFC 6749 §5.2 and RFC 8707 §2.
const (
	codeRequest = "invalid_request"
	codeGrant   = "unsupported_grant_type"
	codeTarget  = "invalid_target"
)

// A response is a successful response (RFC 6749 §5.1).
type response struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"`
	Scope       string `json:"scope,omitempty"`
}

// A refusal is an error response (RFC 6749 §5.2).
type refusal struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

// token serves the token endpoint. It grants every valid request.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		answer(w, http.StatusBadRequest, refusal{codeRequest, "the body is not a form"})
		return
	}
	grant, expiresIn, refused := read(r.PostForm)
	if refused != nil {
		answer(w, http.StatusBadRequest, refused)
		return
	}
	token, err := i.Token(grant)
	if err != nil {
		http.Error(w, "The token cannot be signed.", http.StatusInternalServerError)
		return
	}
	answer(w, http.StatusOK, response{AccessToken: token, TokenType: "Bearer", ExpiresIn: expiresIn, Scope: grant.Scope})
}

func read(form url.Values) (Grant, int64, *refusal) {
	now := time.Now()
	g := Grant{
		Subject: form.Get(fieldSubject), Tenant: form.Get(fieldTenant), Resource: form.Get(fieldResource),
		Scope: strings.Join(strings.Fields(form.Get(fieldScope)), " "), ACR: form.Get(fieldACR),
	}
	if asked := form.Get(fieldGrantType); asked != "" && asked != grantType {
		return g, 0, &refusal{codeGrant, "the only supported grant type is " + grantType}
	}
	if g.Subject == "" {
		return g, 0, &refusal{codeRequest, fieldSubject + " is missing; it names the user of the token"}
	}
	if u, err := url.Parse(g.Resource); err != nil || u.Scheme == "" || u.Host == "" || u.Fragment != "" {
		return g, 0, &refusal{codeTarget, fieldResource + " must be the address of the server that the token is for"}
	}
	if form.Has(fieldAge) {
		age, err := seconds(form.Get(fieldAge), 0)
		if err != nil {
			return g, 0, &refusal{codeRequest, fieldAge + " must be a number of seconds, at most a day"}
		}
		g.AuthTime = now.Add(-time.Duration(age) * time.Second)
	}
	expiresIn := int64(lifetime / time.Second)
	if form.Has(fieldExpiresIn) {
		asked, err := seconds(form.Get(fieldExpiresIn), -longest)
		if err != nil {
			return g, 0, &refusal{codeRequest, fieldExpiresIn + " must be a number of seconds, at most a day"}
		}
		expiresIn = asked
	}
	g.Expires = now.Add(time.Duration(expiresIn) * time.Second)
	return g, expiresIn, nil
}

// seconds parses a number from minimum to longest.
func seconds(text string, minimum int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (n < minimum || n > longest) {
		err = strconv.ErrRange
	}
	return n, err
}

func answer(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		status, raw = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store") // RFC 6749 §5.1
	w.WriteHeader(status)
	_, _ = w.Write(append(raw, '\n')) // the client may be gone
}
