package pages_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/testing/chromiumtest"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// A screen records the addresses that a page opens.
type screen struct {
	opened []string
	err    error
}

func (s *screen) open(address string) error {
	s.opened = append(s.opened, address)
	return s.err
}

func TestBrowser_OpensEachQuestionOnce(t *testing.T) {
	t.Parallel()
	s := &screen{err: errors.New("no browser")} // which must not fail the call
	l := loopback(t, pages.LoopbackConfig{OpenBrowser: s.open})
	d := newGuardedTool(t, l)
	question := d.ask(lunch)
	d.ask(lunch)
	require.Len(t, s.opened, 1)
	assert.True(t, strings.HasPrefix(s.opened[0], question+"?secret="), "it signs the browser in")
	b := newBrowser(t)
	require.Equal(t, http.StatusOK, b.get(s.opened[0]).status)
	b.post(question, form(t, b.get(question), "yes"))
	assert.Equal(t, contract.StatusOK, d.call(lunch).Outcome.Status)
	assert.Len(t, s.opened, 1)
}

func TestBrowser_StaysClosedIfTheClientSendsItsUser(t *testing.T) {
	t.Parallel()
	s := &screen{}
	l := loopback(t, pages.LoopbackConfig{OpenBrowser: s.open})
	d := newGuardedTool(t, l)
	r, err := exchange.Of(d.set).Call(t.Context(), exchange.Request{
		Tool: "mail.send", Arguments: []byte(lunch),
		Client: exchange.Client{RoundsURL: true},
	})
	require.NoError(t, err)
	require.Equal(t, contract.StatusAsked, r.Outcome.Status)
	assert.NotContains(t, r.Question.URL, "secret", "the client gets no address that signs anybody in")
	assert.Empty(t, s.opened)
	d.ask(lunch)
	assert.Empty(t, s.opened, "it is the same question")
}

func TestBrowser_OpensFewWindows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &screen{}
		page, err := pages.NewLoopback(alice, pages.LoopbackConfig{OpenBrowser: s.open})
		require.NoError(t, err)
		asked := 0
		ask := func() {
			for range 10 {
				asked++
				_, err := page.Pending(t.Context(), people.PendingQuestion{Token: fmt.Sprint(asked)})
				require.NoError(t, err)
			}
		}
		ask()
		require.Len(t, s.opened, 3)
		assert.True(t, strings.HasPrefix(s.opened[0], "http://127.0.0.1:1234/approvals/question/1?secret="), s.opened[0])
		time.Sleep(time.Minute)
		ask()
		assert.Len(t, s.opened, 4)
		time.Sleep(time.Hour)
		ask()
		assert.Len(t, s.opened, 7)
	})
}

var codeFile = regexp.MustCompile(`The code in the file <code>([^<]+)</code>`)

// codeOf returns the code in the file that a page names.
func codeOf(t *testing.T, page string) string {
	t.Helper()
	found := codeFile.FindStringSubmatch(page)
	require.NotNil(t, found, page)
	info, err := os.Stat(html.UnescapeString(found[1]))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode(), "only the user can read it")
	code, err := os.ReadFile(html.UnescapeString(found[1]))
	require.NoError(t, err)
	return string(code)
}

// Without a window, a person who has only the address from the client signs in
// with a code that the client doesn't have.
func TestThreat157_APersonWithTheAddressOfTheClientSignsInWithACodeThatTheClientLacks(t *testing.T) {
	t.Parallel()
	l := loopback(t, pages.LoopbackConfig{OpenBrowser: func(string) error { return errors.New("opened") }, NoBrowser: true})
	d := newGuardedTool(t, l)
	question := d.ask(lunch)
	home, _, _ := strings.Cut(l.Address(), "?")
	path := strings.TrimPrefix(question, strings.TrimSuffix(home, "/approvals"))
	b := newBrowser(t)
	refused := b.get(question)
	assert.Equal(t, http.StatusUnauthorized, refused.status)
	assert.NotContains(t, refused.body, `class="yes"`, "there is no button that does nothing")
	code := codeOf(t, refused.body)
	assert.NotContains(t, refused.body, strings.TrimSpace(code), "what a client can read has no code")
	signIn := func(code, to string, header ...string) reply {
		return b.post(home+"/sign-in", url.Values{"code": {code}, "return_to": {to}}, header...)
	}
	for name, r := range map[string]reply{
		"no code": signIn("", path), "another code": signIn("AAAA", path), "no form": b.post(home+"/sign-in", nil),
		"another site": signIn(code, path, "Sec-Fetch-Site", "cross-site"),
	} {
		assert.Equal(t, http.StatusForbidden, r.status, name)
		assert.Empty(t, r.header.Get("Set-Cookie"), name)
	}
	in := signIn(code, path)
	assert.Equal(t, question, in.url, "it leads to the question")
	b.post(question, form(t, in, "yes"))
	assert.Equal(t, contract.StatusOK, d.call(lunch).Outcome.Status)

	b = newBrowser(t)
	assert.Equal(t, http.StatusForbidden, signIn(code, path).status, "a code works once")
	other := b.get(question)
	file := codeFile.FindStringSubmatch(other.body)[1]
	assert.Equal(t, home, signIn(codeOf(t, other.body), "https://evil.example/").url)
	b = newBrowser(t)
	b.get(question)
	require.NoError(t, l.Close(context.WithoutCancel(t.Context())))
	assert.NoFileExists(t, html.UnescapeString(file))
}

// A person who has the address from the client is not signed in. The page opens
// a window that is.
func TestBrowser_SignsInAPersonWhoHasTheAddressFromTheClient(t *testing.T) {
	t.Parallel()
	s := &screen{}
	l := loopback(t, pages.LoopbackConfig{OpenBrowser: s.open})
	d := newGuardedTool(t, l)
	question := d.ask(lunch)
	s.opened = nil
	home, _, _ := strings.Cut(l.Address(), "?")
	b := newBrowser(t)
	refused := b.get(question)
	require.Equal(t, http.StatusUnauthorized, refused.status)
	path := strings.TrimPrefix(question, strings.TrimSuffix(home, "/approvals"))
	assert.Contains(t, refused.body, `name="return_to" value="`+html.EscapeString(path)+`"`)

	for name, header := range map[string][]string{
		"another site": {"Sec-Fetch-Site", "cross-site"}, "another port": {"Sec-Fetch-Site", "same-site"},
		"another origin": {"Sec-Fetch-Site", "", "Origin", "https://evil.example"},
	} {
		assert.Equal(t, http.StatusForbidden, b.post(home+"/sign-in", url.Values{"return_to": {path}}, header...).status, name)
	}
	assert.Equal(t, http.StatusBadRequest, b.post(home+"/sign-in", url.Values{"return_to": {strings.Repeat("x", 20_000)}}).status)
	require.Empty(t, s.opened)

	for _, c := range []struct{ to, want string }{
		{path, question}, {"https://evil.example/", home}, {"/approvals/question/written-by-a-model", home},
	} {
		answer := b.post(home+"/sign-in", url.Values{"return_to": {c.to}})
		require.Equal(t, http.StatusOK, answer.status)
		assert.NotContains(t, answer.body, "secret", "only the window gets the secret")
		assert.Empty(t, answer.header.Get("Set-Cookie"))
		opened := s.opened[len(s.opened)-1]
		assert.True(t, strings.HasPrefix(opened, c.want+"?secret="), opened)
	}
	assert.Equal(t, http.StatusTooManyRequests, b.post(home+"/sign-in", url.Values{"return_to": {path}}).status)
	require.Len(t, s.opened, 3)
	assert.Equal(t, http.StatusUnauthorized, b.get(question).status, "the window that asked is not signed in")

	window := newBrowser(t)
	require.Equal(t, http.StatusOK, window.get(s.opened[0]).status)
	window.post(question, form(t, window.get(question), "yes"))
	assert.Equal(t, contract.StatusOK, d.call(lunch).Outcome.Status)
}

func TestBrowser_FailureIsShown(t *testing.T) {
	t.Parallel()
	l := loopback(t, pages.LoopbackConfig{OpenBrowser: func(string) error { return errors.New("no display") }})
	newGuardedTool(t, l)
	home, _, _ := strings.Cut(l.Address(), "?")
	b := newBrowser(t)
	got := b.post(home+"/sign-in", nil)
	assert.Equal(t, http.StatusServiceUnavailable, got.status)
	assert.NotContains(t, got.body, "no display")
	in := b.post(home+"/sign-in", url.Values{"code": {codeOf(t, got.body)}})
	assert.Equal(t, http.StatusOK, in.status, "the person signs in without a window")
}

func TestChromium_AButtonSignsIn(t *testing.T) {
	t.Parallel()
	b, s := chromiumtest.Start(t), &screen{}
	l := loopback(t, pages.LoopbackConfig{OpenBrowser: s.open})
	d := newGuardedTool(t, l)
	question := d.ask(lunch)
	b.Open(question, "form")
	assert.Contains(t, b.HTML("h1"), "Not signed in")
	b.Press("button.yes", "h1")
	assert.Contains(t, b.HTML("h1"), "other window")
	require.Len(t, s.opened, 2)
	b.Open(s.opened[1], "button.yes")
	b.Press("button.yes", ".decided.yes")
	assert.Equal(t, contract.StatusOK, d.call(lunch).Outcome.Status)
	assert.Empty(t, b.Violations())
}
