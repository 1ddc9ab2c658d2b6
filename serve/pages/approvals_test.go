package pages_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
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
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/store"
)

// byHeader authenticates people by the X-Person header.
func byHeader(r *http.Request) (guard.Principal, error) {
	switch r.Header.Get("X-Person") {
	case "dave":
		return dave, nil
	case "erin":
		return erin, nil
	case "agent":
		return alice, nil
	case "":
		return guard.Principal{}, nil
	}
	return guard.Principal{}, errors.New("pq: unknown person")
}

// mountPage mounts a page as a server does, and returns its address.
func mountPage(t *testing.T, c pages.ApprovalsConfig) (*pages.Approvals, string) {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	c.Address = web.URL + "/approvals/"
	page, err := pages.NewApprovals(byHeader, c)
	require.NoError(t, err)
	mux.Handle("/approvals", page)
	mux.Handle("/approvals/", page)
	return page, web.URL + "/approvals"
}

func TestApprovals_RefusesPeopleWhoMayNotDecide(t *testing.T) {
	t.Parallel()
	page, home := mountPage(t, pages.ApprovalsConfig{SignIn: "/login"})
	d := newGuardedTool(t, page)
	address := d.ask(lunch)
	b := newBrowser(t)
	for person, want := range map[string]int{
		"": http.StatusUnauthorized, "mallory": http.StatusUnauthorized, "agent": http.StatusForbidden, "dave": http.StatusOK,
	} {
		got := b.get(address, "X-Person", person)
		assert.Equal(t, want, got.status, person)
		if want != http.StatusOK {
			assert.NotContains(t, got.body, "anna")
			assert.NotContains(t, got.body, "pq:")
		}
		if want == http.StatusUnauthorized {
			assert.Contains(t, got.body, `href="/login?return_to=%2Fapprovals`)
		}
		assert.NotEqual(t, http.StatusOK, b.post(address, url.Values{"decision": {"yes"}, "token": {"x"}}, "X-Person", person).status)
	}
	assert.NotContains(t, b.get(home, "X-Person", "agent").body, "mail.send")
	assert.Contains(t, b.get(home, "X-Person", "dave").body, "mail.send")
	assert.Contains(t, b.get(home+"/", "X-Person", "dave").body, "mail.send")
	assert.Equal(t, contract.CodeConfirmationPending, d.call(lunch).Outcome.Code)
}

func TestApprovals_AcceptsOnlyItsOwnForms(t *testing.T) {
	t.Parallel()
	page, home := mountPage(t, pages.ApprovalsConfig{})
	d := newGuardedTool(t, page)
	address, other := d.ask(lunch), d.ask(strings.Replace(lunch, "noon", "one", 1))
	b := newBrowser(t)
	good := form(t, b.get(address, "X-Person", "dave"), "yes")
	with := func(key, value string) url.Values {
		changed := url.Values{"token": good["token"], "decision": good["decision"]}
		changed.Set(key, value)
		return changed
	}
	for name, c := range map[string]struct {
		address string
		form    url.Values
		header  []string
	}{
		"from another site":             {address, good, []string{"X-Person", "dave", "Sec-Fetch-Site", "cross-site"}},
		"from another port of the host": {address, good, []string{"X-Person", "dave", "Sec-Fetch-Site", "same-site"}},
		"from another origin": {
			address, good, []string{"X-Person", "dave", "Sec-Fetch-Site", "", "Origin", "https://evil.example"},
		},
		"from no origin":                    {address, good, []string{"X-Person", "dave", "Sec-Fetch-Site", "", "Origin", "null"}},
		"of another person":                 {address, good, []string{"X-Person", "erin"}},
		"for another question":              {other, good, []string{"X-Person", "dave"}},
		"without a token":                   {address, with("token", ""), []string{"X-Person", "dave"}},
		"with an altered token":             {address, with("token", good.Get("token")+"A"), []string{"X-Person", "dave"}},
		"without a decision":                {address, with("decision", ""), []string{"X-Person", "dave"}},
		"with an unknown decision":          {address, with("decision", "YES"), []string{"X-Person", "dave"}},
		"too large":                         {address, with("more", strings.Repeat("x", 20_000)), []string{"X-Person", "dave"}},
		"as JSON":                           {address, good, []string{"X-Person", "dave", "Content-Type", "application/json"}},
		"by a person not signed in":         {address, good, nil},
		"with its fields in the address":    {address + "?" + good.Encode(), url.Values{}, []string{"X-Person", "dave"}},
		"to a question that does not exist": {address + "A", good, []string{"X-Person", "dave"}},
	} {
		got := b.post(c.address, c.form, c.header...)
		assert.Contains(t, []int{
			http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		}, got.status, name)
	}
	assert.Equal(t, contract.CodeConfirmationPending, d.call(lunch).Outcome.Code, "nothing was decided")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"?"+good.Encode(), nil)
	require.NoError(t, err)
	r.Header.Set("X-Person", "dave")
	b.do(r)
	assert.Equal(t, contract.CodeConfirmationPending, d.call(lunch).Outcome.Code, "a GET decides nothing")

	after := b.post(address, good, "X-Person", "dave", "Sec-Fetch-Site", "", "Origin", strings.TrimSuffix(home, "/approvals"))
	assert.Equal(t, http.StatusOK, after.status)
	assert.Equal(t, contract.StatusOK, d.call(lunch).Outcome.Status)
}

func TestApprovals_IsIsolatedFromOtherSites(t *testing.T) {
	t.Parallel()
	page, home := mountPage(t, pages.ApprovalsConfig{})
	d := newGuardedTool(t, page)
	address := d.ask(lunch)
	b := newBrowser(t)
	script := regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	for _, at := range []string{home, address, home + "/style.css", home + "/icon.svg", home + "/nothing", address + "x"} {
		got := b.get(at, "X-Person", "dave")
		csp := got.header.Get("Content-Security-Policy")
		for _, directive := range []string{
			"default-src 'none'", "style-src 'self'", "img-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
		} {
			assert.Contains(t, csp, directive)
		}
		assert.NotContains(t, csp, "unsafe")
		assert.Equal(t, "no-store", got.header.Get("Cache-Control"))
		assert.Equal(t, "same-origin", got.header.Get("Referrer-Policy"))
		assert.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
		assert.Equal(t, "DENY", got.header.Get("X-Frame-Options"))
		if found := script.FindStringSubmatch(got.body); found != nil {
			sum := sha256.Sum256([]byte(found[1]))
			assert.Contains(t, csp, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';",
				"only the page's own script may run")
			got.body = strings.Replace(got.body, found[0], "", 1)
		}
		got.body = strings.Replace(got.body, `xmlns="http://www.w3.org/2000/svg"`, "", 1) // the icon's format
		for _, never := range []string{"<script", "<style", "style=", "onclick", "javascript:", "http://", "https://"} {
			assert.NotContains(t, got.body, never, at)
		}
	}
	icon := b.get(home + "/icon.svg")
	assert.Equal(t, http.StatusOK, icon.status)
	assert.Contains(t, icon.header.Get("Content-Type"), "image/svg+xml")
	css := b.get(home + "/style.css")
	assert.Equal(t, http.StatusOK, css.status)
	assert.Contains(t, css.header.Get("Content-Type"), "text/css")
	assert.Contains(t, css.body, "prefers-color-scheme: dark")
}

func TestApprovals_EscapesTheCallersArguments(t *testing.T) {
	t.Parallel()
	page, _ := mountPage(t, pages.ApprovalsConfig{})
	d := newGuardedTool(t, page)
	forged := `{"to":["<img src=x onerror=alert(1)>"],"subject":"</pre><form ` +
		`action=//evil>","body":"Hi\n</dd><h1>Decided</h1>\n{{.FormToken}}"}`
	got := newBrowser(t).get(d.ask(forged), "X-Person", "dave")
	for _, never := range []string{"<img", "<form action=//evil", "<h1>Decided"} {
		assert.NotContains(t, got.body, never)
	}
	assert.Contains(t, got.body, "&lt;/dd&gt;&lt;h1&gt;")
	assert.Contains(t, got.body, "text of 3 lines")
	assert.Contains(t, got.body, "{{.FormToken}}")
	// Text with invisible characters is not unfolded.
	hidden := newBrowser(t).get(d.ask(`{"to":[],"subject":"x","body":"a\n\u001b[2Jb"}`), "X-Person", "dave")
	assert.Contains(t, hidden.body, `a\n\u001b[2Jb`)
}

// A browser that another site sent here withholds its SameSite=Strict cookie
// once.
func TestApprovals_SendsOnABrowserFromAnotherSite(t *testing.T) {
	t.Parallel()
	page, _ := mountPage(t, pages.ApprovalsConfig{})
	address := newGuardedTool(t, page).ask(lunch)
	got := newBrowser(t).get(address, "Sec-Fetch-Site", "cross-site")
	assert.Equal(t, http.StatusOK, got.status)
	assert.Contains(t, got.body, `http-equiv="refresh"`)
	assert.NotContains(t, got.body, "anna")
}

func TestApprovals_AnyReplicaDecidesAnyQuestion(t *testing.T) {
	t.Parallel()
	memory, err := store.NewMemory()
	require.NoError(t, err)
	shared := []guard.Option{guard.WithStore(memory), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))}
	shares := pages.ApprovalsConfig{FormKey: bytes.Repeat([]byte{2}, 32)}
	pageOne, homeOne := mountPage(t, shares)
	pageTwo, homeTwo := mountPage(t, shares)
	one, two := newGuardedTool(t, pageOne, shared...), newGuardedTool(t, pageTwo, shared...)
	b := newBrowser(t)
	first := one.ask(lunch)
	second := strings.Replace(first, homeOne, homeTwo, 1)
	assert.NotContains(t, b.get(homeTwo, "X-Person", "dave").body, "mail.send", "the second replica was not asked yet")
	page := b.get(first, "X-Person", "dave")
	after := b.post(second, form(t, page, "yes"), "X-Person", "dave")
	assert.Contains(t, after.body, "It may run")
	again := b.post(first, form(t, page, "no"), "X-Person", "dave")
	assert.Equal(t, http.StatusConflict, again.status)
	assert.Equal(t, contract.StatusOK, one.call(lunch).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, two.call(lunch).Outcome.Status)
	assert.EqualValues(t, 1, one.sent.Load()+two.sent.Load())
}

func TestApprovals_ExpiredQuestionIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		page, err := pages.NewApprovals(byHeader, pages.ApprovalsConfig{Address: "https://desk.example/approvals"})
		require.NoError(t, err)
		d := newGuardedTool(t, page, guard.WithTimes(guard.Times{Drain: -1}))
		visit := func(method, address string, f url.Values) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), method, address, strings.NewReader(f.Encode()))
			r.Header.Set("X-Person", "dave")
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			page.ServeHTTP(w, r)
			return w
		}
		address := d.ask(lunch)
		shown := visit(http.MethodGet, address, nil)
		assert.Contains(t, shown.Body.String(), "10 minutes")
		time.Sleep(10*time.Minute - 80*time.Second)
		assert.Contains(t, visit(http.MethodGet, address, nil).Body.String(), "a minute")
		time.Sleep(80 * time.Second)
		late := visit(http.MethodPost, address, form(t, reply{body: shown.Body.String()}, "yes"))
		assert.Equal(t, http.StatusNotFound, late.Code)
		assert.Contains(t, late.Body.String(), "The question is gone")
		assert.Contains(t, visit(http.MethodGet, "https://desk.example/approvals", nil).Body.String(), "Nothing waits")
		d.ask(lunch)
		assert.Zero(t, d.sent.Load())
	})
}

func TestApprovals_ListIsBounded(t *testing.T) {
	t.Parallel()
	page, home := mountPage(t, pages.ApprovalsConfig{})
	for i := range 150 {
		_, err := page.Pending(t.Context(), people.PendingQuestion{Token: fmt.Sprint(i)})
		require.NoError(t, err)
	}
	assert.Equal(t, http.StatusServiceUnavailable, newBrowser(t).get(home, "X-Person", "dave").status, "the page has no guard yet")
	d := newGuardedTool(t, page)
	d.ask(lunch)
	assert.Contains(t, newBrowser(t).get(home, "X-Person", "dave").body, "mail.send")
}

// One caller asks endlessly. A person decides one question in eight, so that
// the guard lets the caller go on.
func TestThreat155_OneCallerLeavesTheQuestionsOfOthersInTheList(t *testing.T) {
	t.Parallel()
	page, home := mountPage(t, pages.ApprovalsConfig{})
	caller := guard.Principal{Issuer: "test", Subject: "bob", Permissions: alice.Permissions}
	d := newGuardedTool(t, page, guard.WithRateLimit(1000, time.Second),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return caller, nil })))
	d.ask(lunch)
	caller = alice
	visitor := newBrowser(t)
	for i := range 130 {
		question := d.ask(fmt.Sprintf(`{"to":[],"subject":"mail %d","body":""}`, i))
		if i%8 == 0 {
			yes := form(t, visitor.get(question, "X-Person", "dave"), "yes")
			require.Equal(t, http.StatusOK, visitor.post(question, yes, "X-Person", "dave").status)
		}
	}
	list := visitor.get(home, "X-Person", "dave").body
	assert.Contains(t, list, "Lunch", "bob's question")
	assert.Contains(t, list, "mail 129", "the newest of alice")
	assert.Equal(t, 100, strings.Count(list, "/question/"), "the oldest of alice are gone")
}

func TestApprovals_BelongsToOneGuard(t *testing.T) {
	t.Parallel()
	page, _ := mountPage(t, pages.ApprovalsConfig{})
	newGuardedTool(t, page)
	_, err := guard.New(guard.WithPeople(guard.PeopleOptions{Approver: page}))
	require.Error(t, err)
}

func TestApprovals_WithoutAddressCallersGetNone(t *testing.T) {
	t.Parallel()
	page, err := pages.NewApprovals(byHeader, pages.ApprovalsConfig{})
	require.NoError(t, err)
	assert.Empty(t, newGuardedTool(t, page).ask(lunch))
}

func TestNewApprovals_RefusesWrongArguments(t *testing.T) {
	t.Parallel()
	for _, bad := range []pages.ApprovalsConfig{
		{FormKey: make([]byte, 31)}, {FormKey: []byte{}}, {SignIn: "javascript:alert(1)"},
		{Address: "/approvals"}, {Address: "https://x"}, {Address: "https://x/"}, {Address: "ftp://x/approvals"},
		{Address: "https://u@x/approvals"}, {Address: "https://x/a?b"}, {Address: "https://x/{a}"},
	} {
		_, err := pages.NewApprovals(byHeader, bad)
		require.Error(t, err)
	}
	_, err := pages.NewApprovals(nil, pages.ApprovalsConfig{})
	require.Error(t, err)
}
