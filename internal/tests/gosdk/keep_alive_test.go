package gosdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// An author who wants JSON gets JSON. An author who keeps events for clients
// that come back gets comments, also with clients of a version that has no
// event at the start. Time is that of a bubble, so nothing waits.
func TestNewHandler_KeepsQuietCallsAliveUnlessTheAuthorWantsJSON(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options mcp.StreamableHTTPOptions
		version string
		json    bool
	}{
		"JSON":                    {mcp.StreamableHTTPOptions{JSONResponse: true}, "2025-11-25", true},
		"events":                  {mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}, "2025-11-25", false},
		"events, an older client": {mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}, "2025-06-18", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				slow := contract.New("notes.wait", func(context.Context, empty) (string, error) {
					time.Sleep(time.Minute)
					return "done", nil
				}).Description("Waits.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
				g, _ := newGuard(t)
				h, err := gosdk.NewHandler("kit", "1.0.0", g, asWritten(gosdk.WithTools(slow), gosdk.WithHTTPOptions(test.options))...)
				require.NoError(t, err)
				post := func(method, session, message string) *httptest.ResponseRecorder {
					r := httptest.NewRequest(method, "/mcp", strings.NewReader(message))
					r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
						"Mcp-Session-Id": {session}, "Mcp-Protocol-Version": {test.version}}
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					return w
				}
				opening := strings.Replace(sdktest.Opening(`{}`, "test"), "2025-11-25", test.version, 1)
				session := post(http.MethodPost, "", opening).Header().Get("Mcp-Session-Id")
				require.NotEmpty(t, session)
				defer post(http.MethodDelete, session, "") // the SDK's goroutines end with the session
				post(http.MethodPost, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				w := post(http.MethodPost, session, sdktest.Call(7, "notes.wait", `{}`))
				assert.Contains(t, w.Body.String(), "done")
				assert.Equal(t, test.json, w.Header().Get("Content-Type") == "application/json")
				assert.Equal(t, test.json, !strings.Contains(w.Body.String(), ": keep-alive\n\n"))
			})
		})
	}
}
