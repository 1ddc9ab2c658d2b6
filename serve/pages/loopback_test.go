package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/serve/pages"
)

func TestLoopback_ApprovedCallRunsOnce(t *testing.T) {
	t.Parallel()
	l := loopback(t, pages.LoopbackConfig{})
	d := newGuardedTool(t, l)
	address := d.ask(lunch)
	b := newBrowser(t)
	require.Equal(t, http.StatusUnauthorized, b.get(address).status, "the address alone shows nothing")
	require.Equal(t, http.StatusOK, b.get(l.Address()).status)

	home, _, _ := strings.Cut(l.Address(), "?")
	list := b.get(home)
	require.Equal(t, http.StatusOK, list.status)
	assert.Contains(t, list.body, "mail.send")
	u, err := url.Parse(address)
	require.NoError(t, err)
	assert.Contains(t, list.body, u.Path)

	page := b.get(address)
	require.Equal(t, http.StatusOK, page.status)
	for _, shown := range []string{
		"anna@example.com", "Lunch", "at noon?", "cannot be undone", "The recipients.", "critical risk", "alice",
	} {
		assert.Contains(t, page.body, shown)
	}
	after := b.post(address, form(t, page, "yes"))
	assert.Equal(t, http.StatusOK, after.status)
	assert.Contains(t, after.body, "It may run")
	assert.NotContains(t, after.body, "<form")

	assert.Equal(t, contract.StatusOK, d.call(lunch).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, d.call(lunch).Outcome.Status)
	assert.EqualValues(t, 1, d.sent.Load())
	assert.NotContains(t, b.get(l.Address()).body, "mail.send", "the question no longer waits")
}

func TestLoopback_DeclinedQuestionStaysDeclined(t *testing.T) {
	t.Parallel()
	l := loopback(t, pages.LoopbackConfig{})
	d := newGuardedTool(t, l)
	b := newBrowser(t)
	b.get(l.Address())
	address := d.ask(lunch)
	page := b.get(address)
	assert.Contains(t, b.post(address, form(t, page, "no")).body, "It will not run")
	second := b.post(address, form(t, page, "yes"))
	assert.Equal(t, http.StatusConflict, second.status)
	assert.Contains(t, second.body, "does not count")
	assert.Equal(t, contract.CodeConfirmationDeclined, d.call(lunch).Outcome.Code)
	assert.Zero(t, d.sent.Load())
}

func TestLoopback_AddressSignsInOneBrowser(t *testing.T) {
	t.Parallel()
	l := loopback(t, pages.LoopbackConfig{})
	newGuardedTool(t, l)
	address := l.Address()
	list, _, _ := strings.Cut(address, "?")
	first, second := newBrowser(t), newBrowser(t)
	assert.Equal(t, http.StatusForbidden, first.get(address, "Sec-Purpose", "prefetch").status,
		"a prefetch does not spend the address")
	in := first.get(address)
	require.Equal(t, http.StatusOK, in.status)
	cookie := in.header.Get("Set-Cookie")
	for _, attribute := range []string{"HttpOnly", "SameSite=Strict", "Path=/approvals", "Max-Age="} {
		assert.Contains(t, cookie, attribute)
	}
	assert.NotContains(t, in.body, "secret", "the page does not contain the secret")
	assert.Equal(t, http.StatusOK, first.get(list).status)
	assert.Equal(t, http.StatusForbidden, second.get(address).status)
	assert.Equal(t, http.StatusUnauthorized, second.get(list).status)
	assert.Equal(t, http.StatusForbidden, second.get(list+"?secret=").status)
	assert.Equal(t, http.StatusForbidden, second.get(list+"?secret=AAAA").status)
	assert.Equal(t, http.StatusOK, first.get(address).status, "a signed-in browser is not refused")

	again := l.Address()
	assert.Equal(t, http.StatusOK, first.get(again).status)
	assert.Equal(t, http.StatusOK, second.get(again).status, "a signed-in browser does not spend an address")
}

func TestLoopback_OnlyTheLastAddressesWork(t *testing.T) {
	t.Parallel()
	l := loopback(t, pages.LoopbackConfig{})
	newGuardedTool(t, l)
	old := l.Address()
	for range 16 {
		l.Address()
	}
	assert.Equal(t, http.StatusForbidden, newBrowser(t).get(old).status)
}

func TestLoopback_AnswersOnlyToNamesOfTheLoopbackInterface(t *testing.T) {
	t.Parallel()
	l := loopback(t, pages.LoopbackConfig{})
	newGuardedTool(t, l)
	u, err := url.Parse(l.Address())
	require.NoError(t, err)
	for host, want := range map[string]int{
		u.Host: http.StatusOK, "localhost:" + u.Port(): http.StatusOK, "rebound.example:" + u.Port(): http.StatusMisdirectedRequest,
		"127.0.0.1": http.StatusMisdirectedRequest, "127.0.0.1:1": http.StatusMisdirectedRequest,
		"127.0.0.1." + "nip.example": http.StatusMisdirectedRequest,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, l.Address(), nil)
		require.NoError(t, err)
		r.Host = host
		assert.Equal(t, want, newBrowser(t).do(r).status, host)
	}
}

func TestLoopback_ForeignPathLeadsNowhere(t *testing.T) {
	t.Parallel()
	l := loopback(t, pages.LoopbackConfig{})
	newGuardedTool(t, l)
	u, err := url.Parse(l.Address())
	require.NoError(t, err)
	for _, path := range []string{"//evil.example/approvals", "/approvalsx", "/"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+u.Host, nil)
		require.NoError(t, err)
		r.URL = &url.URL{Scheme: "http", Host: u.Host, Opaque: "//" + u.Host + path, RawQuery: u.RawQuery}
		got := newBrowser(t).do(r)
		assert.NotContains(t, got.body, "evil", path)
		assert.Empty(t, got.header.Get("Set-Cookie"), path)
	}
}

func TestLoopback_NotifiesOnceForEachQuestion(t *testing.T) {
	t.Parallel()
	var addresses []string
	l := loopback(t, pages.LoopbackConfig{Notify: func(q people.PendingQuestion, address string) {
		assert.Equal(t, "mail.send", q.Tool)
		addresses = append(addresses, address)
	}})
	d := newGuardedTool(t, l)
	plain := d.ask(lunch)
	d.ask(lunch)
	require.Len(t, addresses, 1)
	assert.NotContains(t, plain, "secret", "the client's address has no secret")
	assert.True(t, strings.HasPrefix(addresses[0], plain+"?secret="))
	b := newBrowser(t)
	in := b.get(addresses[0])
	require.Equal(t, http.StatusOK, in.status)
	u, err := url.Parse(plain)
	require.NoError(t, err)
	assert.Contains(t, in.body, `http-equiv="refresh" content="0; url=`+u.Path)
	assert.Contains(t, b.get(plain).body, "<form")
}

func TestListenLoopback_RefusesAnAnonymousPerson(t *testing.T) {
	t.Parallel()
	_, err := pages.ListenLoopback(t.Context(), guard.Principal{}, pages.LoopbackConfig{NoBrowser: true})
	require.Error(t, err)
}

// Both browsers belong to the person at this machine.
func TestLoopback_FormOfAnotherSessionDecidesNothing(t *testing.T) {
	t.Parallel()
	l := loopback(t, pages.LoopbackConfig{})
	d := newGuardedTool(t, l)
	question := d.ask(lunch)
	first, second := newBrowser(t), newBrowser(t)
	for _, b := range []*browser{first, second} {
		require.Equal(t, http.StatusOK, b.get(l.Address()).status)
	}
	yes := form(t, first.get(question), "yes")
	assert.Equal(t, http.StatusForbidden, second.post(question, yes).status)
	d.ask(lunch) // still undecided
	assert.Equal(t, http.StatusOK, first.post(question, yes).status)
	assert.Equal(t, contract.StatusOK, d.call(lunch).Outcome.Status)
}
