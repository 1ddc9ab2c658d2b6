package pages_test

import (
	"context"
	"html"
	"io"
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
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/trust"
)

type campaign struct {
	Template string `json:"template"`
}

// A stepUp is a server with a call by anna that is waiting for an
// authentication.
type stepUp struct {
	t       *testing.T
	people  *pages.Sessions
	page    http.Handler
	call    func() exchange.Result
	address string // of the waiting call, without the origin
}

func newStepUp(t *testing.T) *stepUp {
	t.Helper()
	tool := contract.New("campaigns.send", func(context.Context, campaign) (struct{}, error) { return struct{}{}, nil }).
		Description("Sends a campaign.").Version("1.0.0").Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("mail:send").
		ConfirmNever("It is a test.").StepUp(contract.StepUp{When: "Every campaign.", MaxAge: 5 * time.Minute, ACR: "mfa"}).
		Question(func(in campaign) string { return "Send <" + in.Template + "> to all." }).MustBuild()
	caller := anna
	caller.ACR, caller.Permissions = "", []string{"mail:send"}
	people, err := pages.NewSessions(public)
	require.NoError(t, err)
	g, err := guard.New(guard.WithPeople(guard.PeopleOptions{StepUpPage: people.StepUpAddress}),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return caller, nil })))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	set, err := g.Protect(tool)
	require.NoError(t, err)
	page, err := people.StepUpPage(g, "/sign-in")
	require.NoError(t, err)
	d := &stepUp{t: t, people: people, page: page}
	state := ""
	d.call = func() exchange.Result {
		result, err := exchange.Of(set).Call(t.Context(), exchange.Request{
			Tool: "campaigns.send", Arguments: []byte(`{"template":"spring"}`),
			Client: exchange.Client{RoundsURL: true, State: state},
		})
		require.NoError(t, err)
		state = result.State
		return *result
	}
	asked := d.call()
	require.Equal(t, contract.StatusAsked, asked.Outcome.Status)
	d.address = strings.TrimPrefix(asked.Question.URL, public)
	require.True(t, strings.HasPrefix(d.address, "/step-up?id="), d.address)
	return d
}

// signIn signs a person in and returns the cookie.
func (d *stepUp) signIn(person guard.Principal) *http.Cookie {
	d.t.Helper()
	w := httptest.NewRecorder()
	require.NoError(d.t, d.people.Start(w, person))
	return w.Result().Cookies()[0]
}

func (d *stepUp) send(method, path string, form url.Values, cookies ...*http.Cookie) (int, string) {
	d.t.Helper()
	r := httptest.NewRequestWithContext(d.t.Context(), method, public+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	d.page.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	require.NoError(d.t, err)
	assert.Contains(d.t, w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'")
	return w.Code, html.UnescapeString(string(body))
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// consent returns the values of the page's form when a person presses the
// button to confirm.
func (d *stepUp) consent(cookie *http.Cookie) url.Values {
	d.t.Helper()
	status, body := d.send(http.MethodGet, d.address, nil, cookie)
	require.Equal(d.t, http.StatusOK, status, body)
	form := url.Values{"decision": {"yes"}}
	for _, found := range hidden.FindAllStringSubmatch(body, -1) {
		form.Set(found[1], found[2])
	}
	return form
}

func TestStepUpPage_ConfirmsOneCallOfASignedInPerson(t *testing.T) {
	t.Parallel()
	d := newStepUp(t)
	status, body := d.send(http.MethodGet, d.address, nil)
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.NotContains(t, body, "campaigns.send", "the call is shown only to its principal")
	assert.Contains(t, body, "/sign-in?"+url.Values{"return_to": {d.address}}.Encode())

	cookie := d.signIn(anna)
	_, body = d.send(http.MethodGet, d.address, nil, cookie)
	assert.Contains(t, body, "campaigns.send")
	assert.Contains(t, body, `"spring"`, "the person sees the arguments")
	assert.Contains(t, body, "In the words of the tool</span> Send <spring> to all.")
	form := d.consent(cookie)
	assert.Equal(t, contract.StatusAsked, d.call().Outcome.Status, "signing in is not enough")
	status, body = d.send(http.MethodPost, pages.StepUpPath, form, cookie)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "Go back to your client")
	assert.Equal(t, contract.StatusOK, d.call().Outcome.Status)
	status, _ = d.send(http.MethodPost, pages.StepUpPath, form, cookie)
	assert.Equal(t, http.StatusConflict, status)
	status, _ = d.send(http.MethodGet, d.address, nil, cookie)
	assert.Equal(t, http.StatusConflict, status)
}

func TestStepUpPage_RefusesACallThatThePersonReports(t *testing.T) {
	t.Parallel()
	weak := anna
	weak.ACR = "pwd"
	for name, person := range map[string]guard.Principal{"a strong session": anna, "a weak session": weak} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newStepUp(t)
			cookie := d.signIn(person)
			status, body := d.send(http.MethodGet, d.address, nil, cookie)
			assert.Contains(t, body, "This was not me")
			assert.Equal(t, status == http.StatusOK, strings.Contains(body, "spring"), "a weak session sees no arguments")
			form := url.Values{"decision": {"no"}}
			for _, found := range hidden.FindAllStringSubmatch(body, -1) {
				form.Set(found[1], found[2])
			}
			status, body = d.send(http.MethodPost, pages.StepUpPath, form, cookie)
			assert.Equal(t, http.StatusOK, status)
			assert.Contains(t, body, "It will not run")
			refused := d.call()
			assert.Equal(t, contract.CodeStepUpRequired, refused.Outcome.Code)
			assert.Contains(t, refused.Text, "not theirs")
			form.Set("decision", "yes")
			status, _ = d.send(http.MethodPost, pages.StepUpPath, form, d.signIn(anna))
			assert.Equal(t, http.StatusForbidden, status, "the form of another session")
			status, _ = d.send(http.MethodGet, d.address, nil, cookie)
			assert.Equal(t, http.StatusConflict, status)
			_, body = d.send(http.MethodPost, pages.StepUpPath, form, cookie)
			assert.NotContains(t, body, "Done</h1>")
		})
	}
}

func TestStepUpPage_ShowsNothingToOtherPeople(t *testing.T) {
	t.Parallel()
	d := newStepUp(t)
	for name, other := range map[string]guard.Principal{
		"another subject":                 {Issuer: "login", Tenant: "acme", Subject: "max", ACR: "mfa"},
		"another tenant":                  {Issuer: "login", Tenant: "other", Subject: "anna", ACR: "mfa"},
		"the same letters, cut elsewhere": {Issuer: "login", Tenant: "acm", Subject: "eanna", ACR: "mfa"},
		"another issuer":                  {Issuer: "elsewhere", Tenant: "acme", Subject: "anna", ACR: "mfa"},
	} {
		cookie := d.signIn(other)
		status, body := d.send(http.MethodGet, d.address, nil, cookie)
		assert.Equal(t, http.StatusForbidden, status, name)
		assert.NotContains(t, body, "campaigns.send", name)
		assert.NotContains(t, body, "spring", name)
	}
}

func TestStepUpPage_AsksForAStrongerAuthentication(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newStepUp(t)
		weak, old := anna, anna
		weak.ACR = "pwd"
		old.AuthTime = time.Now().Add(-6 * time.Minute)
		for _, person := range []guard.Principal{weak, old} {
			status, body := d.send(http.MethodGet, d.address, nil, d.signIn(person))
			assert.Equal(t, http.StatusForbidden, status)
			assert.Contains(t, body, "acr_values=mfa&max_age=300&return_to=", "the sign-in learns what is needed")
		}
		cookie := d.signIn(anna)
		form := d.consent(cookie)
		time.Sleep(6 * time.Minute) // the person left the page open
		status, body := d.send(http.MethodPost, pages.StepUpPath, form, cookie)
		assert.Equal(t, http.StatusForbidden, status)
		assert.Contains(t, body, "/sign-in?")
		time.Sleep(10 * time.Minute)
		status, _ = d.send(http.MethodGet, d.address, nil, d.signIn(anna))
		assert.Equal(t, http.StatusNotFound, status, "the request has expired too")
	})
}

func TestStepUpPage_WritesNamesAndIDsAsText(t *testing.T) {
	t.Parallel()
	d := newStepUp(t)
	const script = `"><script>alert(1)</script>`
	visitor := anna
	visitor.Subject = script + "al\u202eeci\u200b"
	for _, cookies := range [][]*http.Cookie{nil, {d.signIn(visitor)}} {
		for _, id := range []string{script, strings.TrimPrefix(d.address, pages.StepUpPath+"?id=")} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet,
				public+pages.StepUpPath+"?"+url.Values{"id": {id}}.Encode(), nil)
			for _, c := range cookies {
				r.AddCookie(c)
			}
			w := httptest.NewRecorder()
			d.page.ServeHTTP(w, r)
			assert.NotContains(t, w.Body.String(), "<script")
			if len(cookies) > 0 {
				assert.Contains(t, w.Body.String(), "<strong>&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;aleci</strong>",
					"invisible characters are removed")
			}
		}
	}
}

func TestStepUpPage_SetsSecurityHeadersAndServesItsFiles(t *testing.T) {
	t.Parallel()
	d := newStepUp(t)
	for path, contentType := range map[string]string{
		d.address: "text/html; charset=utf-8", pages.StepUpPath: "text/html; charset=utf-8",
		pages.StepUpPath + "/style.css": "text/css; charset=utf-8", pages.StepUpPath + "/icon.svg": "image/svg+xml",
	} {
		w := httptest.NewRecorder()
		d.page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, public+path, nil))
		h := w.Header()
		assert.Equal(t, contentType, h.Get("Content-Type"), path)
		assert.Equal(t, "no-store", h.Get("Cache-Control"), path)
		assert.Equal(t, "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors "+
			"'none'; base-uri 'none'", h.Get("Content-Security-Policy"), path)
		assert.Equal(t, "same-origin", h.Get("Referrer-Policy"), path)
		assert.Equal(t, "DENY", h.Get("X-Frame-Options"), path)
	}
}

func TestStepUpPage_RefusesForgedForms(t *testing.T) {
	t.Parallel()
	d := newStepUp(t)
	cookie, again := d.signIn(anna), d.signIn(anna)
	good, id := d.consent(cookie), d.consent(cookie).Get("id")
	for name, tt := range map[string]struct {
		form   url.Values
		cookie *http.Cookie
		want   int
	}{
		"no token": {url.Values{"id": {id}}, cookie, http.StatusForbidden},
		"an invented token": {url.Values{"id": {id}, "token": {"x"}, "decision": {"yes"}}, cookie,
			http.StatusForbidden},
		"no button": {url.Values{"id": {id}, "token": good["token"]}, cookie, http.StatusForbidden},
		"an invented button": {url.Values{"id": {id}, "token": good["token"], "decision": {"x"}}, cookie,
			http.StatusForbidden},
		"the form of another session": {good, again, http.StatusForbidden},
		"the form of another call": {url.Values{"id": {id + "x"}, "token": good["token"], "decision": {"yes"}}, cookie,
			http.StatusForbidden},
		"no call":      {url.Values{"token": good["token"]}, cookie, http.StatusBadRequest},
		"a large form": {url.Values{"id": {strings.Repeat("x", 20<<10)}}, cookie, http.StatusBadRequest},
	} {
		status, _ := d.send(http.MethodPost, pages.StepUpPath, tt.form, tt.cookie)
		assert.Equal(t, tt.want, status, name)
	}
	status, _ := d.send(http.MethodPost, pages.StepUpPath, good)
	assert.Equal(t, http.StatusUnauthorized, status, "no session, as from another site")
	status, _ = d.send(http.MethodGet, pages.StepUpPath+"?id=unknown", nil, cookie)
	assert.Equal(t, http.StatusNotFound, status)
	assert.Equal(t, contract.StatusAsked, d.call().Outcome.Status)
}

func TestStepUpPage_ReportsWhatIsWrong(t *testing.T) {
	t.Parallel()
	g, err := guard.New()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	people, err := pages.NewSessions(public)
	require.NoError(t, err)
	_, err = people.StepUpPage(nil, "/sign-in")
	require.Error(t, err)
	for _, signIn := range []string{"", "sign-in", "//evil.example", "https://login.example.com", "/sign-in?x=1"} {
		_, err = people.StepUpPage(g, signIn)
		require.Error(t, err, signIn)
	}
}
