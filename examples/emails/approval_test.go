package main

import (
	"bufio"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/chromiumtest"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

// emailID returns the id of the sent email in a result.
func emailID(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	structured, ok := result.StructuredContent.(map[string]any)
	require.True(t, ok, exampletest.Text(t, result))
	id, ok := structured["emailId"].(string)
	require.True(t, ok)
	return id
}

// sendPending sends an email. The call must wait for a person. It returns the
// address where the person decides.
func sendPending(t *testing.T, c *client.Client) string {
	t.Helper()
	_, outcome := exampletest.Call(t, c, "emails.send_external", lunch)
	require.Equal(t, contract.CodeConfirmationPending, outcome.Code)
	require.Positive(t, outcome.RetryAfterMs)
	require.NotContains(t, outcome.URL, "secret")
	return outcome.URL
}

// sentOnce repeats a call that a person approved, and asserts that it ran once.
func sentOnce(t *testing.T, c *client.Client) {
	t.Helper()
	first, outcome := exampletest.Call(t, c, "emails.send_external", lunch)
	require.Equal(t, contract.StatusOK, outcome.Status, exampletest.Text(t, first))
	again, outcome := exampletest.Call(t, c, "emails.send_external", lunch)
	require.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, emailID(t, first), emailID(t, again))
}

// addresses reads the addresses that the server prints to stderr.
type addresses struct{ lines *bufio.Scanner }

func (a addresses) next(t *testing.T, prefix string) string {
	t.Helper()
	for a.lines.Scan() {
		if address, ok := strings.CutPrefix(a.lines.Text(), prefix); ok {
			return address
		}
	}
	require.Fail(t, "stderr ended", "%v", a.lines.Err())
	return ""
}

// approvalOverStdio starts the server with -approval, and connects a client
// that cannot ask a person.
func approvalOverStdio(t *testing.T, era string, args ...string) (*client.Client, addresses) {
	t.Helper()
	read, write := io.Pipe()
	c := exampletest.StdioLogged(t, write, era, append(args, "-approval")...)
	printed := make(chan string, 100)
	go func() {
		for lines := bufio.NewScanner(read); lines.Scan(); {
			printed <- lines.Text() + "\n"
		}
	}()
	return c, addresses{bufio.NewScanner(lineReader(printed))}
}

// A lineReader reads buffered lines, so that the server never waits for the
// test.
type lineReader <-chan string

func (l lineReader) Read(p []byte) (int, error) { return copy(p, <-l), nil }

func TestApproval_OverStdioAPersonDecidesInABrowser(t *testing.T) {
	t.Parallel()
	browser := chromiumtest.Start(t)
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			c, printed := approvalOverStdio(t, era)
			assert.Contains(t, printed.next(t, "approvals at http://127.0.0.1:"), "/approvals?secret=")
			question := sendPending(t, c)
			address := printed.next(t, "approve emails.send_external at ")
			assert.True(t, strings.HasPrefix(address, question+"?secret="))
			sendPending(t, c)

			browser.Open(question, "h1")
			assert.Contains(t, browser.HTML("h1"), "Not signed in", "the address that the client knows is not enough")
			browser.Open(address, "form")
			assert.Contains(t, browser.HTML("main"), "anna@example.com")
			browser.Press("button.yes", ".decided.yes")
			sentOnce(t, c)
		})
	}
}

var codeFile = regexp.MustCompile(`<code>(/[^<]+)</code>`)

func TestApproval_OverStdioTheAddressThatTheClientHasIsEnough(t *testing.T) {
	t.Parallel()
	c := exampletest.Stdio(t, exampletest.Modern, "-approval", "-browser=false")
	question := sendPending(t, c)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	status, page := visit(t, browser, question, "")
	assert.Equal(t, http.StatusUnauthorized, status)
	file := codeFile.FindStringSubmatch(page)
	require.NotNil(t, file, page)
	code, err := os.ReadFile(html.UnescapeString(file[1]))
	require.NoError(t, err)
	assert.NotContains(t, page, strings.TrimSpace(string(code)))
	post := func(address string, form url.Values) string {
		resp, err := browser.PostForm(address, form)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(body)
	}
	u, err := url.Parse(question)
	require.NoError(t, err)
	home, _, _ := strings.Cut(question, "/question/")
	page = post(home+"/sign-in", url.Values{"code": {string(code)}, "return_to": {u.Path}})
	post(question, url.Values{"token": {find(t, page)}, "decision": {"yes"}})
	sentOnce(t, c)
}

var signInLink = regexp.MustCompile(`href="(/approvals/sign-in[^"]*)"`)

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

func TestApproval_OverHTTPAPersonSignsIn(t *testing.T) {
	t.Parallel()
	server := exampletest.Serve(t, "-approval")
	home := strings.TrimSuffix(server, "/mcp") + "/approvals"
	for _, era := range exampletest.Eras() {
		c := exampletest.As(t, server, "alice", era)
		if era == exampletest.Modern { // alice has sent this email in the other era
			_, outcome := exampletest.Call(t, c, "emails.send_external", lunch)
			assert.Equal(t, contract.StatusReplayed, outcome.Status)
			continue
		}
		question := sendPending(t, c)
		require.True(t, strings.HasPrefix(question, home+"/question/"), question)

		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		browser := &http.Client{Jar: jar}
		visit := func(method, address string, form url.Values, header ...string) (int, string) {
			req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
			require.NoError(t, err)
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Sec-Fetch-Site", "same-origin")
			for i := 0; i+1 < len(header); i += 2 {
				req.Header.Set(header[i], header[i+1])
			}
			resp, err := browser.Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			return resp.StatusCode, string(body)
		}
		status, body := visit(http.MethodGet, question, nil)
		assert.Equal(t, http.StatusUnauthorized, status)
		link := signInLink.FindStringSubmatch(body)
		require.NotNil(t, link, body)
		signIn := strings.TrimSuffix(home, "/approvals") + html.UnescapeString(link[1])
		for _, token := range []string{"alice", "bob", "mallory", ""} {
			status, _ = visit(http.MethodPost, signIn, url.Values{"token": {token}})
			assert.Equal(t, http.StatusUnauthorized, status, token)
		}
		status, _ = visit(http.MethodGet, question, nil, "Authorization", "Bearer alice")
		assert.Equal(t, http.StatusForbidden, status, "an agent must not decide")
		status, _ = visit(http.MethodPost, signIn, url.Values{"token": {"auditor"}}, "Sec-Fetch-Site", "cross-site")
		assert.Equal(t, http.StatusForbidden, status)
		status, body = visit(http.MethodPost, signIn, url.Values{"token": {"auditor"}})
		assert.Equal(t, http.StatusOK, status)
		found := formToken.FindStringSubmatch(body)
		require.NotNil(t, found, body)
		status, body = visit(http.MethodPost, question, url.Values{"token": {found[1]}, "decision": {"yes"}})
		assert.Equal(t, http.StatusOK, status)
		assert.Contains(t, body, "It may run")
		sentOnce(t, c)
	}
}

func TestApproval_WithoutTheFlagThereIsNoPage(t *testing.T) {
	t.Parallel()
	server := exampletest.Serve(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(server, "/mcp")+"/approvals", nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, http.StatusNotFound, resp.StatusCode)
}
