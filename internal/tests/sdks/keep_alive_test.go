package sdks_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

const keepAliveComment = ": keep-alive\n\n"

// slow returns a tool that calls wait.
func slow(wait func(context.Context)) *contract.Tool {
	return contract.New("notes.wait", func(ctx context.Context, _ empty) (string, error) {
		wait(ctx)
		return "<done>\n", nil
	}).Description("Waits.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
}

// headerOf returns the header of a message.
func headerOf(e era, session, method, name string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if method != "initialize" {
		h.Set("Mcp-Protocol-Version", string(e))
	}
	if e == modern {
		h.Set("Mcp-Method", method)
		h.Set("Mcp-Name", name)
	}
	if session != "" {
		h.Set("Mcp-Session-Id", session)
	}
	return h
}

// postTo passes a message to a handler, without a connection.
func postTo(h http.Handler, e era, session, method, name string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(body))
	r.Header = headerOf(e, session, method, name)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var callID = regexp.MustCompile(`"callId":"[A-Z0-9]*"`)

// withoutCallID removes what differs between two calls.
func withoutCallID(answer string) string { return callID.ReplaceAllString(answer, "") }

// Time is that of a bubble, so nothing waits.
func TestKeepAlive_IsPartOfEveryEndpoint(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		synctest.Test(t, func(t *testing.T) {
			sleep := time.Duration(0)
			g, _ := newGuard(t, s)
			h, err := s.NewHandler("kit", "1.0.0", g, asWritten(slow(func(context.Context) { time.Sleep(sleep) })))
			require.NoError(t, err)
			session := ""
			if e == legacy {
				opened := postTo(h, e, "", "initialize", "", []byte(sdktest.Opening(`{}`, "test")))
				session = opened.Header().Get("Mcp-Session-Id")
				postTo(h, e, session, "notifications/initialized", "", []byte(initialized))
				defer func() { // the SDK's goroutines end with the session
					end := httptest.NewRequest(http.MethodDelete, "/mcp", http.NoBody)
					end.Header.Set("Mcp-Session-Id", session)
					h.ServeHTTP(httptest.NewRecorder(), end)
				}()
			}
			call := func() *httptest.ResponseRecorder {
				t.Helper()
				body := sdktest.Message(t, e, 7, "tools/call", `{"name":"notes.wait","arguments":{}}`)
				w := postTo(h, e, session, "tools/call", "notes.wait", body)
				require.Equal(t, http.StatusOK, w.Code)
				return w
			}
			fast := call()
			event := withoutCallID(fast.Body.String())
			sleep = 15*time.Second - 1
			assert.Equal(t, event, withoutCallID(call().Body.String()))
			if s.Name() == "mcpgo" {
				require.Equal(t, "application/json", fast.Header().Get("Content-Type"))
				event = "event: message\ndata: " + event + "\n"
			}
			sleep = 45*time.Second + 1
			quiet := call()
			assert.Equal(t, "text/event-stream", quiet.Header().Get("Content-Type"))
			assert.Equal(t, strings.Repeat(keepAliveComment, 3)+event, withoutCallID(quiet.Body.String()))
		})
	})
}

// A watchedWriter tells when a comment is sent.
type watchedWriter struct {
	http.ResponseWriter
	comments chan<- struct{}
}

func (w watchedWriter) Write(p []byte) (int, error) {
	if string(p) == keepAliveComment {
		select {
		case w.comments <- struct{}{}:
		default:
		}
	}
	return w.ResponseWriter.Write(p)
}

func (w watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serveKeptAlive serves tools with a comment every millisecond, or none. The
// channel has an element while comments are sent.
func serveKeptAlive(t *testing.T, s sdk, every time.Duration, comments chan struct{}, served ...*contract.Tool) *kit {
	t.Helper()
	k := &kit{t: t, sdk: s, sessions: map[string]string{}}
	k.guard, k.log = newGuard(t, s)
	h, err := s.NewHandler("kit", "1.0.0", k.guard, asWritten(served...))
	require.NoError(t, err)
	h = adapter.KeepAlive(h, every)
	k.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(watchedWriter{w, comments}, r)
	}))
	return k
}

// Both SDKs' clients read the same result with and without comments.
func TestKeepAlive_ClientsTakeTheStream(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		for _, of := range all {
			comments := make(chan struct{})
			var wait sync.Once
			k := serveKeptAlive(t, s, time.Millisecond, comments, slow(func(context.Context) {
				wait.Do(func() {
					for range 3 {
						<-comments
					}
				})
			}))
			c := of.Client(t, endpoint{url: k.url, token: "alice"}, e, nil)
			quiet, err := c.Call(t.Context(), "notes.wait", map[string]any{})
			require.NoError(t, err, of.Name())

			k = serveKeptAlive(t, s, -1, comments, slow(func(context.Context) {}))
			c = of.Client(t, endpoint{url: k.url, token: "alice"}, e, nil)
			fast, err := c.Call(t.Context(), "notes.wait", map[string]any{})
			require.NoError(t, err)
			assert.Equal(t, withoutCallID(fast), withoutCallID(quiet), of.Name())
		}
	})
}

// While a person thinks, an older client gets comments after the question and
// its progress.
func TestKeepAlive_CommentsAfterAQuestion(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for _, of := range all {
			comments := make(chan struct{})
			n := new(tools)
			k := serveKeptAlive(t, s, time.Millisecond, comments, n.Send())
			p := whoAgrees()
			agrees := p.answer
			p.answer = func(ctx context.Context, q question) answer {
				for range 3 {
					<-comments
				}
				return agrees(ctx, q)
			}
			c := of.Client(t, endpoint{url: k.url, token: "alice"}, legacy, p)
			raw, err := c.Call(t.Context(), "notes.send", map[string]any{"text": "x"})
			require.NoError(t, err)
			assert.EqualValues(t, 1, n.Notes.Load(), raw)
			assert.EqualValues(t, 1, p.asked.Load())
		}
	})
}

// Progress and comments share a stream.
func TestKeepAlive_LeavesProgressWhole(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		const reports = 20
		comments := make(chan struct{})
		k := serveKeptAlive(t, s, 100*time.Microsecond, comments, slow(func(ctx context.Context) {
			for i := range reports {
				guard.Progress(ctx, float64(i), reports, "")
				<-comments
			}
		}))
		body := sdktest.Message(t, e, 7, "tools/call", `{"name":"notes.wait","arguments":{},"_meta":{"progressToken":"p"}}`)
		headers := []string{}
		if e == legacy {
			headers = []string{"Mcp-Session-Id", k.session("")}
		}
		stream := sdktest.Post(t, k.url, e, "", "tools/call", "notes.wait", body, headers...).Body
		stream = strings.ReplaceAll(stream, keepAliveComment, "")
		progress := 0
		for event := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
			name, data, _ := strings.Cut(event, "\n")
			assert.Equal(t, "event: message", name)
			data, ok := strings.CutPrefix(data, "data: ")
			require.True(t, ok, event)
			var message struct{ Method string }
			sdktest.Unmarshal(t, data, &message)
			if message.Method == "notifications/progress" {
				progress++
			}
		}
		assert.Equal(t, reports, progress)
	})
}

// A wrong header, an unknown name and a lost session keep their status.
func TestKeepAlive_LeavesRefusalsBeforeTheCall(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := serveKeptAlive(t, s, time.Microsecond, make(chan struct{}), slow(func(context.Context) {}))
		body := sdktest.Message(t, modern, 7, "tools/call", `{"name":"notes.wait","arguments":{}}`)
		other := sdktest.Post(t, k.url, modern, "", "tools/call", "notes.other", body)
		assert.Equal(t, http.StatusBadRequest, other.Status)
		body = sdktest.Message(t, modern, 7, "tools/call", `{"name":"no.such","arguments":{}}`)
		unknown := sdktest.Post(t, k.url, modern, "", "tools/call", "no.such", body)
		assert.Equal(t, http.StatusBadRequest, unknown.Status)
		body = sdktest.Message(t, legacy, 7, "tools/call", `{"name":"notes.wait","arguments":{}}`)
		gone := sdktest.Post(t, k.url, legacy, "", "tools/call", "", body, "Mcp-Session-Id", "no-such")
		assert.Equal(t, http.StatusNotFound, gone.Status)
	})
}
