package stepup_test

import (
	"context"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/examples/oauth/payouts"
	"github.com/toolcontract/toolcontract/examples/oauth/stepup"
)

const (
	issuer = "https://login.example.com"
	origin = "http://127.0.0.1:8080"
)

// A kit is a page with its guard, which has a waiting call of Alice.
type kit struct {
	t       *testing.T
	page    http.Handler
	codes   map[stepup.Person]string
	address string
	id      string
}

// newKit makes a call as caller. An authentication on the page has the class
// acr.
func newKit(t *testing.T, caller guard.Principal, acr string) *kit {
	t.Helper()
	k := &kit{t: t, codes: map[stepup.Person]string{}}
	tools, err := payouts.NewDesk().Tools()
	require.NoError(t, err)
	caller.Issuer, caller.Permissions = issuer, []string{"payouts:release"}
	g, err := guard.New(
		guard.WithPrincipal(func(context.Context) (guard.Principal, error) { return caller, nil }),
		guard.WithStepUp(stepup.Address(origin)),
	)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	set, err := g.Protect(tools...)
	require.NoError(t, err)
	asked, err := set.Call(t.Context(), guard.Request{Tool: "payouts.release", Arguments: []byte(`{"payoutId":"po_1001"}`), RoundsURL: true})
	require.NoError(t, err)
	require.Equal(t, contract.StatusAsked, asked.Outcome.Status)
	k.address = asked.Question.URL
	u, err := url.Parse(k.address)
	require.NoError(t, err)
	k.id = u.Query().Get("id")
	assert.Equal(t, asked.Question.ID, k.id)
	k.page = stepup.New(g, issuer, acr, stepup.NewCodes(func(p stepup.Person, code string) { k.codes[p] = code }))
	return k
}

func (k *kit) get(address string) *httptest.ResponseRecorder {
	k.t.Helper()
	w := httptest.NewRecorder()
	k.page.ServeHTTP(w, httptest.NewRequestWithContext(k.t.Context(), http.MethodGet, address, nil))
	return w
}

func (k *kit) post(form url.Values, headers ...string) *httptest.ResponseRecorder {
	k.t.Helper()
	r := httptest.NewRequestWithContext(k.t.Context(), http.MethodPost, origin+stepup.Path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	k.page.ServeHTTP(w, r)
	return w
}

// signIn returns the answer to the correct code of p.
func (k *kit) signIn(p stepup.Person) *httptest.ResponseRecorder {
	k.t.Helper()
	form := url.Values{"id": {k.id}, "subject": {p.Subject}, "tenant": {p.Tenant}, "step": {"code"}}
	require.Equal(k.t, http.StatusOK, k.post(form).Code)
	form.Set("step", "sign-in")
	form.Set("code", k.codes[p])
	return k.post(form)
}

var proofField = regexp.MustCompile(`name="proof" value="([^"]+)"`)

// consent returns the form that a person gets after the sign-in.
func (k *kit) consent(w *httptest.ResponseRecorder) url.Values {
	k.t.Helper()
	require.Equal(k.t, http.StatusOK, w.Code, w.Body)
	found := proofField.FindStringSubmatch(w.Body.String())
	require.NotNil(k.t, found, w.Body)
	return url.Values{"id": {k.id}, "proof": {html.UnescapeString(found[1])}, "step": {"complete"}}
}

var alice = stepup.Person{Subject: "alice"}

func TestPage_AuthenticatesAPersonForOneCall(t *testing.T) {
	t.Parallel()
	k := newKit(t, guard.Principal{Subject: "alice"}, payouts.ACR)
	signedIn := k.signIn(alice)
	form := k.consent(signedIn)
	assert.Contains(t, signedIn.Body.String(), "payouts.release")
	done := k.post(form)
	assert.Equal(t, http.StatusOK, done.Code)
	assert.Contains(t, done.Body.String(), "Go back to your client")
	assert.Equal(t, http.StatusConflict, k.post(form).Code)
	assert.Equal(t, http.StatusConflict, k.signIn(alice).Code, "a completed request is not shown again")
}

func TestPage_SeparatesTenants(t *testing.T) {
	t.Parallel()
	acme := stepup.Person{Tenant: "acme", Subject: "alice"}
	k := newKit(t, guard.Principal{Tenant: "acme", Subject: "alice"}, payouts.ACR)
	assert.Equal(t, http.StatusForbidden, k.signIn(alice).Code)
	assert.Equal(t, http.StatusForbidden, k.signIn(stepup.Person{Tenant: "acm", Subject: "ealice"}).Code)
	assert.Equal(t, http.StatusOK, k.post(k.consent(k.signIn(acme))).Code)
}

func TestPage_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	k := newKit(t, guard.Principal{Subject: "alice"}, payouts.ACR)
	other := newKit(t, guard.Principal{Subject: "alice"}, payouts.ACR)
	good := k.consent(k.signIn(alice))
	changed := func(field, value string) url.Values {
		form := maps.Clone(good)
		form.Set(field, value)
		return form
	}
	proof := good.Get("proof")
	tests := []struct {
		name   string
		form   url.Values
		status int
	}{
		{"no form", nil, http.StatusBadRequest},
		{"no step", changed("step", ""), http.StatusBadRequest},
		{"an unknown step", changed("step", "skip"), http.StatusBadRequest},
		{"no request", changed("id", ""), http.StatusBadRequest},
		{"a code for no subject", url.Values{"id": {k.id}, "step": {"code"}}, http.StatusBadRequest},
		{"a code for a long subject", url.Values{"id": {k.id}, "step": {"code"}, "subject": {strings.Repeat("a", 101)}}, http.StatusBadRequest},
		{"a code for a long tenant", url.Values{"id": {k.id}, "step": {"code"}, "subject": {"a"}, "tenant": {strings.Repeat("a", 101)}}, http.StatusBadRequest},
		{"a sign-in without a code", url.Values{"id": {k.id}, "step": {"sign-in"}, "subject": {"alice"}}, http.StatusUnauthorized},
		{"no proof", changed("proof", ""), http.StatusForbidden},
		{"a proof that is cut", changed("proof", proof[:len(proof)-8]), http.StatusForbidden},
		{"a proof without its signature", changed("proof", strings.SplitN(proof, ".", 2)[0]), http.StatusForbidden},
		{"a proof of another text", changed("proof", "e30"+proof), http.StatusForbidden},
		{"a proof for another request", changed("id", other.id), http.StatusForbidden},
		{"a proof of another page", changed("proof", other.consent(other.signIn(alice)).Get("proof")), http.StatusForbidden},
		{"a form that is too large", changed("more", strings.Repeat("a", 20<<10)), http.StatusBadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.status, k.post(tt.form).Code)
		})
	}
	t.Run("a form of another site", func(t *testing.T) {
		assert.Equal(t, http.StatusForbidden, k.post(good, "Sec-Fetch-Site", "cross-site").Code)
		assert.Equal(t, http.StatusForbidden, k.post(good, "Sec-Fetch-Site", "", "Origin", "http://127.0.0.1:9999").Code)
	})
	t.Run("an address without a request", func(t *testing.T) {
		assert.Equal(t, http.StatusBadRequest, k.get(origin+stepup.Path).Code)
	})
	t.Run("an unknown request", func(t *testing.T) {
		gone := *k
		gone.id = "x"
		assert.Equal(t, http.StatusNotFound, gone.signIn(alice).Code)
	})
	t.Run("the request still waits", func(t *testing.T) {
		assert.Equal(t, http.StatusOK, k.post(good).Code)
	})
}

func TestPage_RefusesAWeakAuthentication(t *testing.T) {
	t.Parallel()
	k := newKit(t, guard.Principal{Subject: "alice"}, "pwd")
	weak := k.post(k.consent(k.signIn(alice)))
	assert.Equal(t, http.StatusForbidden, weak.Code)
	assert.Contains(t, weak.Body.String(), "stronger")
}

func TestPage_ForgetsASignInAfterFiveMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, guard.Principal{Subject: "alice"}, payouts.ACR)
		form := k.consent(k.signIn(alice))
		time.Sleep(5 * time.Minute)
		late := k.post(form)
		assert.Equal(t, http.StatusForbidden, late.Code)
		assert.Contains(t, late.Body.String(), "Sign in again")
		assert.Equal(t, http.StatusOK, k.post(k.consent(k.signIn(alice))).Code)
		time.Sleep(10 * time.Minute)
		assert.Equal(t, http.StatusNotFound, k.signIn(alice).Code, "the request expires too")
	})
}

func TestPage_SetsSecurityHeaders(t *testing.T) {
	t.Parallel()
	k := newKit(t, guard.Principal{Subject: "alice"}, payouts.ACR)
	for _, w := range []*httptest.ResponseRecorder{k.get(k.address), k.post(nil), k.signIn(alice), k.get(origin + stepup.Path)} {
		h := w.Header()
		assert.Equal(t, "no-store", h.Get("Cache-Control"))
		assert.Equal(t, "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'", h.Get("Content-Security-Policy"))
		assert.Equal(t, "same-origin", h.Get("Referrer-Policy"))
		assert.Equal(t, "DENY", h.Get("X-Frame-Options"))
		assert.Equal(t, "text/html; charset=utf-8", h.Get("Content-Type"))
		assert.Empty(t, h.Values("Set-Cookie"))
		assert.NotContains(t, w.Body.String(), "<script")
	}
	style := k.get(origin + stepup.Path + "/style.css")
	assert.Equal(t, http.StatusOK, style.Code)
	assert.Contains(t, style.Header().Get("Content-Type"), "text/css")
	icon := k.get(origin + stepup.Path + "/icon.svg")
	assert.Equal(t, http.StatusOK, icon.Code)
	assert.Contains(t, icon.Header().Get("Content-Type"), "image/svg+xml")
}

func TestPage_EscapesInput(t *testing.T) {
	t.Parallel()
	const name = `"><script>alert(1)</script>`
	k := newKit(t, guard.Principal{Subject: name}, payouts.ACR)
	asked := k.post(url.Values{"id": {name}, "subject": {name}, "tenant": {name}, "step": {"code"}})
	signedIn := k.signIn(stepup.Person{Subject: name})
	opened := k.get(origin + stepup.Path + "?" + url.Values{"id": {name}}.Encode())
	for _, w := range []*httptest.ResponseRecorder{asked, signedIn, opened} {
		assert.Equal(t, http.StatusOK, w.Code)
		assert.NotContains(t, w.Body.String(), "<script")
		assert.Contains(t, w.Body.String(), "&lt;script&gt;")
	}
}

func TestPage_RemovesInvisibleCharactersFromNames(t *testing.T) {
	t.Parallel()
	k := newKit(t, guard.Principal{Subject: "alice"}, payouts.ACR)
	asked := k.post(url.Values{"id": {k.id}, "subject": {"al\u202eeci\u200b"}, "step": {"code"}})
	assert.Contains(t, asked.Body.String(), "<strong>aleci</strong>")
}
