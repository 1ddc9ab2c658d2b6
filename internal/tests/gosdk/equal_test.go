package gosdk_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// variable matches what differs between two calls of one tool.
var variable = regexp.MustCompile(`"callId":"[^"]*"|"requestState":"[^"]*"|"nextCursor":"[^"]*"|untrusted-content-[a-z0-9]+`)

// artTool returns content of every kind.
func artTool() *contract.Tool {
	zero, size := 0.0, int64(7)
	at := time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	return contract.New("art.show", func(context.Context, empty) (contract.Reply[addOut], error) {
		return contract.Reply[addOut]{
			Out: addOut{Sum: 3}, Meta: map[string]any{"own": []any{1, "<&>"}, "io.modelcontextprotocol/x": 1},
			Content: []contract.Content{
				contract.TextContent{Text: "<hello> & \u2028", Annotations: contract.Annotations{Audience: []string{"user"}, Priority: &zero,
					LastModified: at}, Meta: map[string]any{"k": "v"}},
				contract.TextContent{Text: ""},
				contract.ImageContent{Data: []byte{1}, MIMEType: "image/png"},
				contract.AudioContent{Data: []byte{2}, MIMEType: "audio/wav",
					Annotations: contract.Annotations{Audience: []string{"assistant"}}},
				contract.LinkContent{URI: "file:///a", Name: "a", Size: &size},
				contract.LinkContent{URI: "file:///a", Name: "a", Title: "A", Description: "An a.", MIMEType: "text/plain"},
				contract.ResourceContent{URI: "file:///b", Text: "b", MIMEType: "text/plain", ResourceMeta: map[string]any{"r": 1}},
				contract.ResourceContent{URI: "file:///c"},
				contract.ResourceContent{URI: "file:///d", Blob: []byte{}},
				contract.ResourceContent{URI: "file:///e", Blob: []byte{3}, Meta: map[string]any{"m": true}},
			},
		}, nil
	}).Description("Shows art.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Untrusted).MustBuild()
}

// served returns the tools for the comparison. Each adapter gets its own.
func served() []*contract.Tool {
	n := &tools{}
	full := contract.Retryable("full", "The notebook is full.")
	note := n.Note(func(_ context.Context, text string) error {
		if text == "full" {
			return full.Errorf("page <3> is full").Hint("Use notes.send.")
		}
		return nil
	}).Failures(full).Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "notes.send", Note: "Use notes.send."})
	return []*contract.Tool{n.Add().MustBuild(), note.MustBuild(), n.Key().MustBuild(), n.Send(), n.Optional().MustBuild(),
		artTool(), n.CloseNote()}
}

// The list entries and results of both adapters are equal, except for key order
// and the members the SDK adds.
func TestEqual_BothAdaptersWriteTheSame(t *testing.T) {
	t.Parallel()
	for name, layout := range map[string]struct {
		sdk    []gosdk.Option
		mcpgo  []mcpgo.Option
		dotted bool
	}{
		"dotted, full": {
			[]gosdk.Option{gosdk.WithNames(contract.Dotted), gosdk.WithTier(contract.TierFull)},
			[]mcpgo.Option{mcpgo.WithNames(contract.Dotted), mcpgo.WithTier(contract.TierFull)}, true,
		},
		"the defaults": {nil, nil, false},
		"hints": {
			[]gosdk.Option{gosdk.WithTier(contract.TierHints), gosdk.WithResourceMetadata(metadata)},
			[]mcpgo.Option{mcpgo.WithTier(contract.TierHints), mcpgo.WithResourceMetadata(metadata)}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := &kit{t: t, sessions: map[string]string{}}, &kit{t: t, sessions: map[string]string{}}
			ours.guard, _ = newGuard(t)
			h, err := gosdk.NewHandler("kit", "1.0.0", ours.guard, append(layout.sdk, gosdk.WithTools(served()...))...)
			require.NoError(t, err)
			ours.serve(h)
			theirs.guard, err = guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithAudit(&audit.Recorder{}))
			require.NoError(t, err)
			t.Cleanup(func() { _ = theirs.guard.Close(context.WithoutCancel(t.Context())) })
			h, err = mcpgo.NewHandler("kit", "1.0.0", theirs.guard, append(layout.mcpgo, mcpgo.WithTools(served()...))...)
			require.NoError(t, err)
			theirs.serve(h)

			tool := func(name string) string {
				if layout.dotted {
					return name
				}
				return strings.ReplaceAll(name, ".", "_")
			}
			sdktest.EachEra(t, func(t *testing.T, e era) {
				for _, token := range []string{"", "bob", "alice", "down"} {
					list := sdktest.Message(t, e, 1, "tools/list", `{}`)
					assert.Equal(t, normalized(t, theirs.post(e, token, "tools/list", "", list)), normalized(t, ours.post(e, token, "tools/list",
						"", list)), "the list of %q", token)
					for _, c := range [][2]string{
						{"calc.add", `{"a":9007199254740993,"b":2}`}, {"calc.add", `{"a":"x","c":1}`}, {"calc.plus", `{"a":1}`},
						{"notes.write", `{"text":"x"}`}, {"notes.write", `{"text":"full"}`}, {"notes.add", `{"text":5}`},
						{"notes.send", `{"text":"x"}`}, {"notes.read", `{}`}, {"art.show", `{}`}, {"notes.close", `{"text":"x"}`},
					} {
						params := `{"name":"` + tool(c[0]) + `","arguments":` + c[1] + `}`
						for _, capabilities := range []string{`{}`, `{"elicitation":{}}`, `{"elicitation":{"form":{},"url":{}}}`} {
							if e == legacy && capabilities != `{}` {
								continue // these belong to the session
							}
							call := strings.Replace(string(sdktest.Message(t, e, 7, "tools/call", params)),
								`"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":`+capabilities, 1)
							want, got := theirs.post(e, token, "tools/call", tool(c[0]), []byte(call)), ours.post(e, token, "tools/call", tool(c[0]),
								[]byte(call))
							assert.Equal(t, normalized(t, want), normalized(t, got), "%s as %q", call, token)
						}
					}
				}
			})
		})
	}
}

// normalized returns an answer with its keys sorted and without the members the
// SDK adds.
func normalized(t *testing.T, raw string) string {
	t.Helper()
	var a map[string]any
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&a), raw)
	if result, ok := a["result"].(map[string]any); ok && result["tools"] != nil {
		delete(result, "ttlMs")
		delete(result, "cacheScope")
	}
	sorted, err := json.MarshalIndent(a, "", " ")
	require.NoError(t, err)
	return variable.ReplaceAllString(strings.ReplaceAll(string(sorted), `": "`, `":"`), `"variable"`)
}

// Key order is the only difference in a single item: both write its bytes as
// encoding/json does.
func TestEqual_StringsAreEscapedAlike(t *testing.T) {
	t.Parallel()
	ours := newKit(t, []*contract.Tool{artTool()})
	theirs, err := mcpgo.NewHandler("kit", "1.0.0", nil, mcpgo.WithTools(artTool()), mcpgo.WithNames(contract.Dotted))
	require.NoError(t, err)
	web := httptest.NewServer(theirs)
	t.Cleanup(web.Close)
	body := string(sdktest.Message(t, modern, 7, "tools/call", `{"name":"art.show","arguments":{}}`))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(body))
	require.NoError(t, err)
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": string(modern), "Mcp-Method": "tools/call", "Mcp-Name": "art.show",
	} {
		req.Header.Set(key, value)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	want, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	got := ours.post(modern, "", "tools/call", "art.show", []byte(body))
	for _, escaped := range []string{`\u003chello\u003e \u0026 \u2028`, `\u003c\u0026\u003e`} {
		assert.Contains(t, string(want), escaped)
		assert.Contains(t, got, escaped)
	}
}
