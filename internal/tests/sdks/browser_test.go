package sdks_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/chromiumtest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve"
	"github.com/toolcontract/toolcontract/serve/oauth"
	"github.com/toolcontract/toolcontract/trust"
)

// An mcpPage is the script of a page that is an MCP client with OAuth. send
// returns what the page may read of a response.
const mcpPage = `
async function send(message, more) {
	const headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2025-11-25", ...more};
	try {
		const r = await fetch(ENDPOINT, {method: "POST", headers, body: JSON.stringify(message)});
		return {status: r.status, session: r.headers.get("Mcp-Session-Id") || "", challenge: r.headers.get("WWW-Authenticate") || "",
			body: await r.text()};
	} catch (e) { return {status: 0, body: String(e)}; }
}`

// A pageAnswer is what send returns. Its status is 0 if the browser lets the
// page read nothing.
type pageAnswer struct {
	Status                   int
	Session, Challenge, Body string
}

func TestServe_AllowsAClientInABrowserWithOAuth(t *testing.T) {
	eachSDK(t, func(t *testing.T, s sdk) {
		b := chromiumtest.Start(t)
		b.RunScripts("UTC")
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<!doctype html><link rel=icon href=data:><h1>client</h1>")
		}))
		t.Cleanup(page.Close)
		for _, allowed := range []bool{true, false} {
			c := serve.Config{}
			if allowed {
				c.AllowedOrigins = []string{page.URL}
			}
			origin, metadata := serveWithOAuth(t, s, c)
			b.Open(page.URL, "h1")
			b.Evaluate(strings.Replace(mcpPage, "ENDPOINT", fmt.Sprintf("%q", origin+"/mcp"), 1)+"; 0", nil)
			send := func(message, headers string) pageAnswer {
				var answer pageAnswer
				b.Evaluate(fmt.Sprintf("send(%s, %s)", message, headers), &answer)
				return answer
			}
			const hello = `{jsonrpc: "2.0", id: 1, method: "initialize", params: {protocolVersion: "2025-11-25", capabilities: {},
				clientInfo: {name: "page", version: "1"}}}`
			if !allowed {
				assert.Zero(t, send(hello, `{Authorization: "Bearer alice"}`).Status)
				continue
			}
			challenged := send(hello, "{}")
			assert.Equal(t, http.StatusUnauthorized, challenged.Status)
			assert.Contains(t, challenged.Challenge, metadata)
			var read int
			b.Evaluate(fmt.Sprintf(`fetch(%q, {headers: {"MCP-Protocol-Version": "2025-11-25"}}).then(r => r.status)`, metadata), &read)
			assert.Equal(t, http.StatusOK, read)
			begun := send(hello, `{Authorization: "Bearer alice", "Mcp-Method": "initialize"}`)
			require.Equal(t, http.StatusOK, begun.Status, begun.Body)
			assert.Contains(t, begun.Body, `"tools"`)
			more := fmt.Sprintf(`{Authorization: "Bearer alice", "Mcp-Session-Id": %q}`, begun.Session)
			assert.Contains(t, send(`{jsonrpc: "2.0", id: 2, method: "tools/call", params: {name: "people_greet", arguments: {}}}`, more).Body, "hello you")
			large := send(`{jsonrpc: "2.0", id: 3, method: "tools/call", params: {name: "people_greet", arguments: {a: "x".repeat(8 << 20)}}}`, more)
			assert.Equal(t, http.StatusRequestEntityTooLarge, large.Status)
			var refused int
			b.Evaluate(fmt.Sprintf(`fetch(%q, {method: "POST", headers: {"X-Forwarded-For": "10.0.0.1"}}).then(r => r.status, () => 0)`,
				origin+"/mcp"), &refused)
			assert.Zero(t, refused, "the headers of a proxy are none of a page's")
		}
	})
}

// serveWithOAuth serves one tool to callers with a token, and returns the origin
// and the address of the metadata.
func serveWithOAuth(t *testing.T, s sdk, c serve.Config) (origin, metadata string) {
	t.Helper()
	started := make(chan struct{})
	c.Started = func(string) { close(started) }
	web, err := serve.Listen("127.0.0.1:0", c)
	require.NoError(t, err)
	verify := func(_ context.Context, token string) (guard.Principal, error) {
		if token != "alice" {
			return guard.Principal{}, errors.New("unknown token")
		}
		return guard.Principal{Issuer: "test", Subject: token}, nil
	}
	resource, err := oauth.NewResource(oauth.ResourceConfig{
		Address: web.Origin() + "/mcp", Issuers: []string{"https://login.example.com"}, Verify: verify,
	})
	require.NoError(t, err)
	g, err := guard.New(guard.WithPrincipal(s.Bearer(verify)))
	require.NoError(t, err)
	tool := contract.New("people.greet", func(context.Context, empty) (string, error) { return "hello you", nil }).
		Description("Says hello.").Version("1.0.0").Risk(risk.Low).Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	var with options
	with.Tools = []*contract.Tool{tool}
	endpoint, err := s.NewHandler("pages", "1.0.0", g, with)
	require.NoError(t, err)
	web.Handle("/mcp", resource.Protect(endpoint))
	web.Handle(resource.MetadataPath(), resource)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, g) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
	<-started
	return web.Origin(), resource.MetadataAddress()
}
