package pages_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// byCookie authenticates dave by the cookie that [serveWithSignIn] sets.
func byCookie(r *http.Request) (guard.Principal, error) {
	if _, err := r.Cookie("dave"); err != nil {
		return guard.Principal{}, err
	}
	return dave, nil
}

// serveWithSignIn serves a page with a sign-in, and returns the page's address.
func serveWithSignIn(t *testing.T, signIn string) (*pages.Approvals, string) {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	page, err := pages.NewApprovals(byCookie, pages.ApprovalsConfig{Address: web.URL + "/approvals", SignIn: signIn})
	require.NoError(t, err)
	mux.Handle("/approvals", page)
	mux.Handle("/approvals/", page)
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "dave", Value: "1", Path: "/", HttpOnly: true})
		http.Redirect(w, r, pages.ReturnPath(r.FormValue("return_to"), "/approvals"), http.StatusSeeOther)
	})
	return page, web.URL + "/approvals"
}

var signInLink = regexp.MustCompile(`<a class="button" href="([^"]+)">`)

func TestSignIn_ReturnsToTheQuestion(t *testing.T) {
	t.Parallel()
	for _, signIn := range []string{"/login", "/login?tenant=acme&return_to=https://evil.example"} {
		page, home := serveWithSignIn(t, signIn)
		d := newGuardedTool(t, page)
		question := d.ask(lunch)
		for from, want := range map[string]string{question: question, home: home, home + "/": home + "/"} {
			b := newBrowser(t)
			refused := b.get(from)
			require.Equal(t, http.StatusUnauthorized, refused.status)
			link := signInLink.FindStringSubmatch(refused.body)
			require.NotNil(t, link, refused.body)
			in := b.get(strings.TrimSuffix(home, "/approvals") + html.UnescapeString(link[1]))
			assert.Equal(t, http.StatusOK, in.status)
			assert.Equal(t, want, in.url)
		}
		// A person's session can end while the question is open.
		late := newBrowser(t).post(question, url.Values{"decision": {"yes"}})
		link := signInLink.FindStringSubmatch(late.body)
		require.NotNil(t, link, late.body)
		to, err := url.Parse(html.UnescapeString(link[1]))
		require.NoError(t, err)
		assert.Equal(t, []string{strings.TrimPrefix(question, strings.TrimSuffix(home, "/approvals"))}, to.Query()["return_to"])
	}
}

// A window that the page opens shows either a question that this process was
// asked, or the list.
func TestBrowser_NeverLeavesThePage(t *testing.T) {
	t.Parallel()
	page, err := pages.NewLoopback(dave, pages.LoopbackConfig{NoBrowser: true})
	require.NoError(t, err)
	_, err = page.Pending(t.Context(), people.PendingQuestion{Token: "tc1.A-b_9"})
	require.NoError(t, err)
	const list = "/approvals"
	for to, want := range map[string]string{
		"/approvals/question/tc1.A-b_9":            "/approvals/question/tc1.A-b_9",
		"":                                         list,
		"/approvals":                               list,
		"/approvals/":                              list,
		"/approvalsx":                              list,
		"/":                                        list,
		"//evil.example/approvals/question/a":      list,
		"https://evil.example/approvals":           list,
		`/\evil.example`:                           list,
		"/approvals/../admin":                      list,
		"/approvals/question/../../admin":          list,
		"/approvals/question/a":                    list,
		"/approvals/question/..":                   list,
		"/approvals/question/":                     list,
		"/approvals/question/a/b":                  list,
		"/approvals/question/a?secret=b":           list,
		"/approvals/question/a#b":                  list,
		"/approvals/question/%2e%2e":               list,
		"/approvals/question/a\r\nSet-Cookie: b=c": list,
		"/approvals/question/a ":                   list,
		"javascript:alert(1)":                      list,
		"/approvals/question/" + strings.Repeat("a", 2000): list,
	} {
		assert.Equal(t, want, page.KnownPath(to), "%q", to)
	}
}
