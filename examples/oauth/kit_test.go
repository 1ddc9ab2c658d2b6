package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

func TestMain(m *testing.M) { exampletest.MainOnSDKs(m, run, "-names", "dotted", "-tier", "full") }

// patience bounds a test that hangs.
const patience = 2 * time.Minute

const allScopes = "account:read payouts:read payouts:release"

// A kit is a test's own server with its stderr.
type kit struct {
	t      *testing.T
	url    string // of the MCP endpoint
	origin string
	lines  chan string // of stderr
}

func newKit(t *testing.T, args ...string) *kit {
	t.Helper()
	p := exampletest.Start(t, args...)
	k := &kit{t: t, url: p.URL, origin: strings.TrimSuffix(p.URL, "/mcp"), lines: make(chan string, 1000)}
	watched, write := io.Pipe()
	stderr := p.Stderr
	p.Stderr = bufio.NewReader(watched) // Terminate reads it to its end
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			select {
			case k.lines <- lines.Text():
			default: // no test needs so many lines
			}
		}
		_ = write.CloseWithError(lines.Err())
	}()
	t.Cleanup(func() { p.Terminate(t) })
	return k
}

// saw waits for a line on stderr that contains prefix. It returns the rest of
// the line.
func (k *kit) saw(prefix string) string {
	k.t.Helper()
	for limit := time.After(patience); ; {
		select {
		case line := <-k.lines:
			if _, rest, found := strings.Cut(line, prefix); found {
				return strings.TrimSpace(rest)
			}
		case <-limit:
			require.Fail(k.t, "stderr lacks the line", prefix)
		}
	}
}

// token requests a token for this server from the issuer. The fields are names
// and values of the form.
func (k *kit) token(fields ...string) string {
	k.t.Helper()
	form := url.Values{"subject": {"alice"}, "resource": {k.url}, "scope": {allScopes}}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	resp := k.send(http.MethodPost, k.origin+"/issuer/token", strings.NewReader(form.Encode()), "Content-Type",
		"application/x-www-form-urlencoded")
	require.Equal(k.t, http.StatusOK, resp.status, resp.body)
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	require.NoError(k.t, json.Unmarshal([]byte(resp.body), &answer))
	return answer.AccessToken
}

// fresh is token for a user that has just authenticated with a second factor.
func (k *kit) fresh(fields ...string) string {
	k.t.Helper()
	return k.token(append([]string{"acr", "mfa", "authenticated_ago", "0"}, fields...)...)
}

// A response is an HTTP response.
type response struct {
	status int
	header http.Header
	body   string
}

// send sends an HTTP request. The headers are names and values.
func (k *kit) send(method, address string, body io.Reader, headers ...string) response {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.t.Context(), method, address, body)
	require.NoError(k.t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	require.NoError(k.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(k.t, err)
	return response{resp.StatusCode, resp.Header, string(raw)}
}

// A round is the answer to one tools/call of a client that handles questions
// itself.
type round struct {
	outcome contract.Outcome
	state   string
	url     string // of the page for the person
	text    string
	meta    map[string]json.RawMessage
	result  map[string]any // the structured content
	code    int            // of a JSON-RPC error
}

// release calls payouts.release as a client of version 2026-07-28 that can open
// addresses. A state continues an earlier round, and an action answers its
// question.
func (k *kit) release(token, payout, state, action string) round {
	k.t.Helper()
	params := map[string]any{
		"name": "payouts.release", "arguments": map[string]any{"payoutId": payout},
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    exampletest.Modern,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{"url": map[string]any{}}},
		},
	}
	if state != "" {
		params["requestState"] = state
	}
	if action != "" {
		params["inputResponses"] = map[string]any{"step_up": map[string]any{"action": action}}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	require.NoError(k.t, err)
	resp := k.send(http.MethodPost, k.url, bytes.NewReader(body), "Authorization", "Bearer "+token,
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"Mcp-Protocol-Version", exampletest.Modern, "Mcp-Method", "tools/call", "Mcp-Name", "payouts.release")
	require.Equal(k.t, http.StatusOK, resp.status, resp.body)
	if _, data, ok := strings.Cut(resp.body, "\ndata: "); ok { // the official SDK answers with a stream
		resp.body = data
	}
	var answer struct {
		Error  *struct{ Code int }
		Result struct {
			Meta              map[string]json.RawMessage `json:"_meta"`
			Content           []struct{ Text string }
			StructuredContent map[string]any
			RequestState      string
			InputRequests     map[string]struct {
				Params struct{ URL, Mode string }
			}
		}
	}
	require.NoError(k.t, json.Unmarshal([]byte(resp.body), &answer), resp.body)
	if answer.Error != nil {
		return round{code: answer.Error.Code}
	}
	r := answer.Result
	got := round{state: r.RequestState, meta: r.Meta, result: r.StructuredContent}
	require.NoError(k.t, json.Unmarshal(r.Meta[contract.MetaKeyOutcome], &got.outcome), resp.body)
	if len(r.Content) > 0 {
		got.text = r.Content[0].Text
	}
	if asked, ok := r.InputRequests["step_up"]; ok {
		assert.Equal(k.t, "url", asked.Params.Mode)
		got.url = asked.Params.URL
	}
	return got
}

// balance returns the balance of the account, which the named tool reads.
func (k *kit) balance(reader string) int64 {
	k.t.Helper()
	c := exampletest.As(k.t, k.url, k.token(), exampletest.Modern)
	result, _ := exampletest.Call(k.t, c, reader, `{}`)
	structured, ok := result.StructuredContent.(map[string]any)
	require.True(k.t, ok)
	balance, err := strconv.ParseInt(strconv.FormatFloat(structured["balanceMinor"].(float64), 'f', -1, 64), 10, 64)
	require.NoError(k.t, err)
	return balance
}
