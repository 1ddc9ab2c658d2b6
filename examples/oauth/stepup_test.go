package main

import (
	"context"
	"html"
	"net/http"
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
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/internal/chromiumtest"
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

// submit sends a form of the page with the headers of a browser.
func (k *kit) submit(form url.Values, headers ...string) response {
	k.t.Helper()
	headers = append([]string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin", "Origin", k.origin}, headers...)
	return k.send(http.MethodPost, k.origin+"/step-up", strings.NewReader(form.Encode()), headers...)
}

func step(form url.Values, step string, more ...string) url.Values {
	form.Set("step", step)
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

// signIn opens the page and signs in with the code from the server's stderr.
func (k *kit) signIn(address, subject string) response {
	k.t.Helper()
	opened := k.send(http.MethodGet, address, nil)
	require.Equal(k.t, http.StatusOK, opened.status)
	assert.NotContains(k.t, opened.body, "payouts.release", "the call is shown only after the sign-in")
	asked := k.submit(step(fields(opened.body), "code", "subject", subject))
	require.Equal(k.t, http.StatusOK, asked.status)
	code := k.saw(`code for "` + subject + `": `)
	assert.NotContains(k.t, asked.body, code)
	return k.submit(step(fields(asked.body), "sign-in", "code", code))
}

// stepUp goes through the whole page.
func (k *kit) stepUp(address, subject string) response {
	k.t.Helper()
	signedIn := k.signIn(address, subject)
	if signedIn.status != http.StatusOK {
		return signedIn
	}
	return k.submit(step(fields(signedIn.body), "complete"))
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
		refused := k.stepUp(asked.url, other)
		assert.Equal(t, http.StatusForbidden, refused.status, other)
		assert.NotContains(t, refused.body, "payouts.release")
		assert.NotContains(t, refused.body, "alice")
	}
	assert.Equal(t, contract.StatusAsked, k.release(token, "po_1001", asked.state, "").outcome.Status)

	signedIn := k.signIn(asked.url, "alice")
	require.Equal(t, http.StatusOK, signedIn.status, signedIn.body)
	assert.Contains(t, signedIn.body, "payouts.release")
	assert.Contains(t, signedIn.body, "po_1001", "the page shows the arguments")
	assert.Equal(t, contract.StatusAsked, k.release(token, "po_1001", asked.state, "").outcome.Status, "the sign-in alone is not enough")
	select {
	case r := <-gone:
		assert.NotEqual(t, contract.StatusOK, r.outcome.Status)
		require.Fail(t, "the call did not wait", r.text)
	default:
	}
	consent := fields(signedIn.body)
	done := k.submit(step(consent, "complete"))
	require.Equal(t, http.StatusOK, done.status, done.body)
	assert.Contains(t, done.body, "Go back to your client")

	// The id and the form work once, and only for this payout.
	assert.Equal(t, http.StatusConflict, k.submit(step(consent, "complete")).status)
	assert.Equal(t, http.StatusConflict, k.stepUp(asked.url, "alice").status)
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
	browser.Open(asked.url, "#subject")
	browser.Type("#subject", "alice")
	browser.Type("#tenant", "acme")
	browser.Press("button", "#code")
	code := k.saw(`code for "alice" of "acme": `)
	browser.Type("#code", code)
	browser.Press("button", "button.yes")
	assert.Contains(t, browser.HTML(".tool"), "payouts.release")
	assert.Regexp(t, `<time datetime="20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ">\d{1,2} [A-Z][a-z]+ 20\d\d, \d\d:\d\d:\d\d UTC<`, browser.HTML("time"))
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
