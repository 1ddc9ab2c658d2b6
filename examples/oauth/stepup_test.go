package main

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/chromiumtest"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// fields returns the hidden fields of a page's form.
func fields(page string) url.Values {
	form := url.Values{}
	for _, found := range hidden.FindAllStringSubmatch(page, -1) {
		form.Set(found[1], html.UnescapeString(found[2]))
	}
	return form
}

// A browser visits the pages of the server, with its cookies.
type browser struct {
	k      *kit
	client *http.Client
}

func (k *kit) browser() browser {
	jar, err := cookiejar.New(nil)
	require.NoError(k.t, err)
	return browser{k, &http.Client{Jar: jar}}
}

// visit opens an address, or sends it a form. It follows redirects.
func (b browser) visit(method, address string, form url.Values) response {
	b.k.t.Helper()
	req, err := http.NewRequestWithContext(b.k.t.Context(), method, address, strings.NewReader(form.Encode()))
	require.NoError(b.k.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	resp, err := b.client.Do(req)
	require.NoError(b.k.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(b.k.t, err)
	return response{resp.StatusCode, resp.Header, string(raw)}
}

// confirm sends the form of the page that shows the call.
func (b browser) confirm(shown response) response {
	b.k.t.Helper()
	form := fields(shown.body)
	form.Set("decision", "yes")
	return b.visit(http.MethodPost, b.k.origin+"/step-up", form)
}

var signInLink = regexp.MustCompile(`href="(/sign-in\?[^"]+)"`)

// signIn opens the page and signs in with the next code of a person on the
// server's stderr. It returns the page to which the sign-in leads.
func (b browser) signIn(address, subject string) response {
	b.k.t.Helper()
	opened := b.visit(http.MethodGet, address, nil)
	require.Equal(b.k.t, http.StatusUnauthorized, opened.status)
	assert.NotContains(b.k.t, opened.body, "payouts.release", "the call is shown only after the sign-in")
	link := signInLink.FindStringSubmatch(opened.body)
	require.NotNil(b.k.t, link, opened.body)
	form := b.k.origin + html.UnescapeString(link[1])
	shown := b.visit(http.MethodGet, form, nil)
	require.Equal(b.k.t, http.StatusOK, shown.status)
	code := b.k.saw(`code for "` + subject + `": `)
	assert.NotContains(b.k.t, shown.body, code)
	return b.visit(http.MethodPost, form, url.Values{"token": {code}})
}

// stepUp signs in and confirms the call.
func (k *kit) stepUp(address, subject string) response {
	k.t.Helper()
	b := k.browser()
	shown := b.signIn(address, subject)
	if shown.status != http.StatusOK {
		return shown
	}
	return b.confirm(shown)
}

func TestStepUp_CallRunsOnceAfterThePersonHasAuthenticated(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	token := k.token("acr", "pwd", "authenticated_ago", "3600")

	asked := k.release(token, "po_1001", "", "")
	require.Equal(t, contract.StatusAsked, asked.outcome.Status)
	require.True(t, strings.HasPrefix(asked.url, k.origin+"/step-up?id="), asked.url)

	// The client accepts that the person opens the address. The call still
	// waits for the person.
	gone := make(chan round, 1)
	go func() {
		r := k.release(token, "po_1001", asked.state, "accept")
		for r.outcome.Status == contract.StatusAsked { // on a slow machine, the wait may end first
			r = k.release(token, "po_1001", r.state, "accept")
		}
		gone <- r
	}()
	again := k.release(token, "po_1001", asked.state, "")
	assert.Equal(t, contract.StatusAsked, again.outcome.Status)
	assert.EqualValues(t, 20_000_00, k.balance("account.read"))

	// Other people learn only that the request is not theirs.
	for _, other := range []string{"bob", "Alice", "alice "} {
		k.release(k.token("subject", other), "po_1002", "", "") // sends them a code
		refused := k.stepUp(asked.url, other)
		assert.Equal(t, http.StatusForbidden, refused.status, other)
		assert.NotContains(t, refused.body, "payouts.release")
		assert.NotContains(t, refused.body, "po_1001")
	}
	assert.Equal(t, contract.StatusAsked, k.release(token, "po_1001", asked.state, "").outcome.Status)

	b := k.browser()
	signedIn := b.signIn(asked.url, "alice")
	require.Equal(t, http.StatusOK, signedIn.status, signedIn.body)
	assert.Contains(t, signedIn.body, "payouts.release")
	assert.Contains(t, signedIn.body, "po_1001", "the page shows the arguments")
	assert.Equal(t, contract.StatusAsked, k.release(token, "po_1001", asked.state, "").outcome.Status,
		"the sign-in alone is not enough")
	select {
	case r := <-gone:
		assert.NotEqual(t, contract.StatusOK, r.outcome.Status)
		require.Fail(t, "the call did not wait", r.text)
	default:
	}
	done := b.confirm(signedIn)
	require.Equal(t, http.StatusOK, done.status, done.body)
	assert.Contains(t, done.body, "Go back to your client")

	// The id and the form work once, and only for this payout.
	assert.Equal(t, http.StatusConflict, b.confirm(signedIn).status)
	assert.Equal(t, http.StatusConflict, b.visit(http.MethodGet, asked.url, nil).status)
	assert.Equal(t, asked.url, again.url, "the repeated call is the same request")
	assert.NotZero(t, k.release(token, "po_1002", asked.state, "accept").code, "a state of another call")
	assert.NotZero(t, k.release(k.token("subject", "bob"), "po_1001", asked.state, "accept").code, "a state of another caller")

	ran := <-gone
	require.Equal(t, contract.StatusOK, ran.outcome.Status, ran.text)
	assert.Equal(t, asked.outcome.CallID, ran.outcome.CallID)
	for range 2 {
		replayed := k.release(token, "po_1001", asked.state, "accept")
		assert.Equal(t, contract.StatusReplayed, replayed.outcome.Status)
		assert.Equal(t, ran.result, replayed.result)
	}
	assert.EqualValues(t, 18_750_00, k.balance("account.read"))

	// The next payout needs another authentication.
	assert.Equal(t, contract.StatusAsked, k.release(token, "po_1002", "", "").outcome.Status)
}

func TestStepUp_DeclinedCallNamesTheMissingDemand(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, action := range []string{"decline", "cancel"} {
		asked := k.release(k.token(), "po_1001", "", "")
		declined := k.release(k.token(), "po_1001", asked.state, action)
		assert.Equal(t, contract.CodeStepUpRequired, declined.outcome.Code, action)
		assert.Contains(t, string(declined.meta["mcp/www_authenticate"]), "insufficient_user_authentication")
	}
}

// An opener is the user of a client that opens addresses.
type opener struct {
	open  func(address string)
	asked atomic.Int64
}

func (o *opener) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	o.asked.Add(1)
	if r.Params.Mode == mcp.ElicitationModeURL {
		o.open(r.Params.URL)
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept}}, nil
}

// clientWith connects mcp-go's client for a user that opens addresses.
func (k *kit) clientWith(token, era string, o *opener) *client.Client {
	k.t.Helper()
	return exampletest.As(k.t, k.url, token, era, client.WithElicitationHandler(o),
		client.WithClientCapabilities(mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{URL: &struct{}{}}}))
}

func TestStepUp_ThroughAClientThatOpensAddresses(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			// The client opens the address and continues at once.
			var person sync.WaitGroup
			defer person.Wait()
			o := &opener{open: func(address string) {
				person.Go(func() { assert.Equal(t, http.StatusOK, k.stepUp(address, "alice").status) })
			}}
			c := k.clientWith(k.token(), era, o)
			result, outcome := exampletest.Call(t, c, "payouts.release", `{"payoutId":"po_1001"}`)
			require.Equal(t, contract.StatusOK, outcome.Status, exampletest.Text(t, result))
			assert.EqualValues(t, 1, o.asked.Load())
			_, outcome = exampletest.Call(t, c, "payouts.release", `{"payoutId":"po_1001"}`)
			assert.Equal(t, contract.StatusReplayed, outcome.Status)
			assert.EqualValues(t, 1, o.asked.Load())
			assert.EqualValues(t, 18_750_00, k.balance("account.read"))
		})
	}
}

func TestStepUp_WaitsIfOnlyTheClientAccepts(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := &opener{open: func(string) { time.AfterFunc(time.Second/2, cancel) }}
	_, err := k.clientWith(k.token(), exampletest.Modern, o).CallTool(ctx, mcp.CallToolRequest{
		Params: mcp.CallToolParams{Name: "payouts.release", Arguments: map[string]any{"payoutId": "po_1001"}},
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.EqualValues(t, 1, o.asked.Load())
	assert.EqualValues(t, 20_000_00, k.balance("account.read"))
}

func TestStepUp_InABrowser(t *testing.T) {
	t.Parallel()
	browser := chromiumtest.Start(t)
	k := newKit(t)
	asked := k.release(k.token("tenant", "acme"), "po_1001", "", "")
	browser.Open(asked.url, "a.button")
	browser.Press("a.button", "#token")
	browser.Type("#token", k.saw(`code for "alice" of "acme": `))
	browser.Press("button.yes", ".asked")
	assert.Contains(t, browser.HTML(".asked"), "payouts.release")
	assert.Regexp(t, `<time datetime="20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ">\d{1,2} [A-Z][a-z]+ 20\d\d, \d\d:\d\d:\d\d UTC<`,
		browser.HTML("time"))
	for _, dark := range []bool{false, true} {
		browser.Show(320, dark)
		assert.LessOrEqual(t, browser.Width(), 320)
	}
	browser.Press("button.yes", "h1")
	assert.Contains(t, browser.HTML("main"), "Go back to your client")
	assert.Empty(t, browser.Violations())
	done := k.release(k.token("tenant", "acme"), "po_1001", asked.state, "accept")
	assert.Equal(t, contract.StatusOK, done.outcome.Status, done.text)
}

func readLines(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
