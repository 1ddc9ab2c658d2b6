package sdks_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// Simple clients send no Accept header, or take only JSON. They can call tools
// in both eras. A client that says it takes no JSON is refused or gets a
// stream.
func TestNewHandler_AnswersClientsThatTakeOnlyJSON(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		k := &kit{t: t, sdk: s, sessions: map[string]string{}}
		n := new(tools)
		g, _ := newGuard(t, s, guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
			return guard.Principal{Issuer: "test", Subject: "anna", Permissions: []string{"notes:write"}}, nil
		})))
		h, err := s.NewHandler("calc", "1.0.0", g, asWritten(n.Add().MustBuild(), n.Send()))
		require.NoError(t, err)
		k.serve(h)
		for name, accept := range map[string][]string{
			"none": nil, "JSON": {"application/json"}, "JSON with a charset": {"application/json; charset=utf-8"},
			"any application": {"application/*"}, "an empty one": {""},
		} {
			session := []string{}
			if e == legacy {
				opened := postAccepting(t, k.url, e, "initialize", "", sdktest.Opening(`{"elicitation":{}}`, "test"), accept)
				assertJSON(t, opened, name)
				session = []string{"Mcp-Session-Id", opened.Header.Get("Mcp-Session-Id")}
				sent := postAccepting(t, k.url, e, "notifications/initialized", "", initialized, accept, session...)
				assert.Equal(t, http.StatusAccepted, sent.Status, name)
			}
			call := string(sdktest.Message(t, e, 2, "tools/call", `{"name":"calc.add","arguments":{"a":1}}`))
			added := assertJSON(t, postAccepting(t, k.url, e, "tools/call", "calc.add", call, accept, session...), name)
			assert.JSONEq(t, `{"sum":1}`, string(added.Result.StructuredContent), name)
			if e == legacy && s.Name() == "gosdk" { // it would have to be asked on a stream
				call = string(sdktest.Message(t, e, 3, "tools/call", `{"name":"notes.send","arguments":{"text":"x"}}`))
				sent := assertJSON(t, postAccepting(t, k.url, e, "tools/call", "notes.send", call, accept, session...), name)
				assert.Equal(t, contract.CodeConfirmationRequired, codeOf(t, sent), name)
			}
			missing := postAccepting(t, k.url, e, "tools/call", "no.such", strings.ReplaceAll(call, "notes.send", "no.such"), accept)
			assert.NotContains(t, missing.Header.Get("Content-Type"), "text/event-stream", name)
		}
		for _, accept := range []string{"*/*", "text/event-stream", "application/json, text/event-stream"} {
			call := string(sdktest.Message(t, e, 2, "tools/call", `{"name":"calc.add","arguments":{"a":1}}`))
			session := []string{}
			if e == legacy {
				session = []string{"Mcp-Session-Id", k.session("")}
			}
			answer := postAccepting(t, k.url, e, "tools/call", "calc.add", call, []string{accept}, session...)
			assert.Contains(t, answer.Body, `{"sum":1}`, accept)
		}
	})
}

func assertJSON(t *testing.T, a sdktest.HTTPAnswer, name string) sdktest.Response {
	t.Helper()
	assert.Equal(t, http.StatusOK, a.Status, name)
	assert.Equal(t, "application/json", a.Header.Get("Content-Type"), name)
	parsed := sdktest.Parse(t, a.Body)
	require.NotNil(t, parsed.Result, "%s: %s", name, a.Body)
	return parsed
}

// postAccepting posts a message with exactly these Accept headers.
func postAccepting(t *testing.T, url string, e era, method, name, body string, accept []string,
	headers ...string) sdktest.HTTPAnswer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header["Accept"] = accept
	if method != "initialize" {
		r.Header.Set("Mcp-Protocol-Version", string(e))
	}
	if e == modern {
		r.Header.Set("Mcp-Method", method)
		r.Header.Set("Mcp-Name", name)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return sdktest.HTTPAnswer{Status: resp.StatusCode, Header: resp.Header, Body: string(answer)}
}
