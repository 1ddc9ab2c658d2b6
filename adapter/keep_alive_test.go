package adapter_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

const (
	bothTypes = "application/json, text/event-stream"
	comment   = ": keep-alive\n\n"
	interval  = 10 * time.Second
)

// An endpoint answers one request after it has called begin, which stands for
// an SDK that calls [adapter.Table.Call].
type endpoint func(w http.ResponseWriter, r *http.Request, begin func())

// keptAlive returns an endpoint behind KeepAlive.
func keptAlive(t *testing.T, every time.Duration, h endpoint) http.Handler {
	t.Helper()
	table, _ := newTable(t, adapter.Config{Tools: all(), Naming: contract.Dotted})
	return adapter.KeepAlive(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h(w, r, func() { call(r.Context(), t, table, "notes.find", `{}`) })
	}), every)
}

func posting(accept string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("{}"))
	r.Header.Set("Accept", accept)
	return r
}

// writeJSON answers as an SDK does.
func writeJSON(w http.ResponseWriter, status int, parts ...string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	for _, part := range parts {
		_, _ = io.WriteString(w, part)
	}
}

func writeEvent(w http.ResponseWriter, data string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", data)
	_ = http.NewResponseController(w).Flush()
}

const framed = "event: message\ndata: {\"id\":1}\n\n"

// Time is that of a bubble, so nothing waits.
func TestKeepAlive_TurnsAQuietCallIntoAStream(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer endpoint
		want   string
	}{
		"an answer after two intervals": {func(w http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			time.Sleep(2*interval + 1)
			writeJSON(w, http.StatusOK, `{"id":1}`)
		}, comment + comment + framed},
		"a refusal after one": {func(w http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			time.Sleep(interval + 1)
			writeJSON(w, http.StatusBadRequest, `{"id":1}`)
		}, comment + framed},
		"an answer in parts and lines": {func(w http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			time.Sleep(interval + 1)
			writeJSON(w, http.StatusOK, "{\r\n", "  \"id\":\r", " 1\n}\n")
		}, comment + framed},
		"an answer that is flushed": {func(w http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			time.Sleep(interval + 1)
			writeJSON(w, http.StatusOK, `{"id"`)
			assert.NoError(t, http.NewResponseController(w).Flush())
			_, _ = io.WriteString(w, `:1}`)
		}, comment + framed},
		"a text": {func(w http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			time.Sleep(interval + 1)
			http.Error(w, "the session has ended", http.StatusNotFound)
		}, comment},
		"no answer": {func(_ http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			time.Sleep(interval + 1)
		}, comment},
		"events of the SDK later": {func(w http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			time.Sleep(interval + 1)
			writeEvent(w, `{"id":1}`)
			time.Sleep(interval + 1)
			writeEvent(w, `{"id":1}`)
		}, comment + framed + comment + framed},
		"events of the SDK first": {func(w http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			time.Sleep(interval - 1)
			writeEvent(w, `{"id":1}`)
			time.Sleep(interval - 1)
			writeEvent(w, `{"id":1}`)
			time.Sleep(interval + 1)
		}, framed + framed + comment},
		"events without a call": {func(w http.ResponseWriter, _ *http.Request, _ func()) {
			writeEvent(w, `{"id":1}`)
			time.Sleep(interval + 1)
		}, framed + comment},
		"an event in two parts": {func(w http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: message\n")
			time.Sleep(2*interval + 1)
			_, _ = io.WriteString(w, "data: {\"id\":1}\n\n")
			time.Sleep(interval + 1)
		}, framed + comment},
		"a second call of one request": {func(_ http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			begin()
			time.Sleep(interval + 1)
		}, comment},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := httptest.NewRecorder()
				keptAlive(t, interval, test.answer).ServeHTTP(w, posting(bothTypes))
				assert.Equal(t, http.StatusOK, w.Code)
				assert.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
				assert.Equal(t, "no", w.Header().Get("X-Accel-Buffering"))
				assert.Equal(t, test.want, w.Body.String())
				assert.True(t, w.Flushed)
				time.Sleep(10 * interval)
				assert.Equal(t, test.want, w.Body.String(), "after the handler has returned")
			})
		})
	}
}

// A countingWriter counts how often a handler sends the header.
type countingWriter struct {
	*httptest.ResponseRecorder
	headers int
}

func (w *countingWriter) WriteHeader(status int) {
	w.headers++
	w.ResponseRecorder.WriteHeader(status)
}

// Everything else is as without it, down to the byte.
func TestKeepAlive_ChangesNoOtherAnswer(t *testing.T) {
	t.Parallel()
	quiet := func(w http.ResponseWriter, _ *http.Request, begin func()) {
		begin()
		time.Sleep(10 * interval)
		writeJSON(w, http.StatusOK, `{"id":1}`, "\n")
	}
	for name, test := range map[string]struct {
		request *http.Request
		every   time.Duration
		answer  endpoint
		status  int
	}{
		"a fast answer": {posting(bothTypes), interval, func(w http.ResponseWriter, _ *http.Request, begin func()) {
			begin()
			time.Sleep(interval - 1)
			writeJSON(w, http.StatusCreated, `{"id":1}`, "\n")
			time.Sleep(10 * interval)
		}, http.StatusCreated},
		"a slow refusal before the call": {posting(bothTypes), interval, func(w http.ResponseWriter, _ *http.Request, _ func()) {
			time.Sleep(10 * interval)
			writeJSON(w, http.StatusBadRequest, `{"id":1}`, "\n")
		}, http.StatusBadRequest},
		"an informational status first": {posting(bothTypes), interval, func(w http.ResponseWriter, _ *http.Request, _ func()) {
			w.WriteHeader(http.StatusEarlyHints)
			writeJSON(w, http.StatusCreated, `{"id":1}`, "\n")
		}, http.StatusCreated},
		"a call after the answer": {posting(bothTypes), interval, func(w http.ResponseWriter, _ *http.Request, begin func()) {
			writeJSON(w, http.StatusOK, `{"id":1}`)
			begin()
			time.Sleep(10 * interval)
			_, _ = io.WriteString(w, "\n")
		}, http.StatusOK},
		"only JSON accepted":         {posting("application/json"), interval, quiet, http.StatusOK},
		"anything accepted":          {posting("*/*"), interval, quiet, http.StatusOK},
		"switched off":               {posting(bothTypes), -1, quiet, http.StatusOK},
		"no body":                    {withoutBody(), interval, quiet, http.StatusOK},
		"by default, before 15 s":    {posting(bothTypes), 0, answerAfter(15*time.Second - 1), http.StatusOK},
		"a GET":                      {withMethod(http.MethodGet), interval, quiet, http.StatusOK},
		"a HEAD, as net/http has it": {withMethod(http.MethodHead), interval, quiet, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &countingWriter{ResponseRecorder: httptest.NewRecorder()}
				keptAlive(t, test.every, test.answer).ServeHTTP(w, test.request)
				assert.Equal(t, 1, w.headers)
				assert.Equal(t, test.status, w.Code)
				assert.Equal(t, http.Header{"Content-Type": {"application/json"}}, w.Header())
				assert.Equal(t, "{\"id\":1}\n", w.Body.String())
				assert.False(t, w.Flushed)
			})
		})
	}
}

func answerAfter(d time.Duration) endpoint {
	return func(w http.ResponseWriter, _ *http.Request, begin func()) {
		begin()
		time.Sleep(d)
		writeJSON(w, http.StatusOK, `{"id":1}`, "\n")
	}
}

func withMethod(method string) *http.Request {
	r := posting(bothTypes)
	r.Method = method
	return r
}

func withoutBody() *http.Request {
	r := posting(bothTypes)
	r.Body = nil
	return r
}

func TestKeepAlive_WaitsFor15SecondsByDefault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := httptest.NewRecorder()
		keptAlive(t, 0, answerAfter(15*time.Second+1)).ServeHTTP(w, posting(bothTypes))
		assert.Equal(t, comment+framed, w.Body.String())
	})
}

// The outer one decides, also that there is none.
func TestKeepAlive_ReplacesAnInnerOne(t *testing.T) {
	t.Parallel()
	for outer, want := range map[time.Duration]string{interval: comment + framed, -1: "{\"id\":1}\n"} {
		synctest.Test(t, func(t *testing.T) {
			w := httptest.NewRecorder()
			adapter.KeepAlive(keptAlive(t, interval/10, answerAfter(interval+1)), outer).ServeHTTP(w, posting(bothTypes))
			assert.Equal(t, want, w.Body.String())
		})
	}
}

// A call can run under the context of another request, as in a session of the
// official SDK.
func TestKeepAlive_BeginsWithTheContextOfItsRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, _ := newTable(t, adapter.Config{Tools: all(), Naming: contract.Dotted})
		h := adapter.KeepAlive(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			send(as(t, "bob"), t, table, "notes.find", adapter.Request{HTTP: r.Context()})
			time.Sleep(interval + 1)
		}), interval)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, posting(bothTypes))
		assert.Equal(t, comment, w.Body.String())
	})
}

// A session's first request has long been answered when its context is used
// again.
func TestKeepAlive_IgnoresACallAfterTheAnswer(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]func(http.ResponseWriter){
		`{"id":1}`: func(w http.ResponseWriter) { writeJSON(w, http.StatusOK, `{"id":1}`) },
		framed:     func(w http.ResponseWriter) { writeEvent(w, `{"id":1}`) },
		"":         func(http.ResponseWriter) {},
	} {
		synctest.Test(t, func(t *testing.T) {
			table, _ := newTable(t, adapter.Config{Tools: all(), Naming: contract.Dotted})
			var first context.Context
			h := adapter.KeepAlive(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				first = r.Context()
				answer(w)
			}), interval)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, posting(bothTypes))
			call(first, t, table, "notes.find", `{}`)
			time.Sleep(10 * interval)
			assert.Equal(t, want, w.Body.String())
		})
	}
}

// The header of the stream has what middleware around it and the SDK have set
// before the call, such as that of CORS, and nothing of the later answer.
func TestKeepAlive_SendsTheHeaderThatWasSetBeforeTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := keptAlive(t, interval, func(w http.ResponseWriter, r *http.Request, begin func()) {
			assert.Equal(t, "outer", w.Header().Get("X-Outer"))
			w.Header().Set("Access-Control-Allow-Origin", "https://example.com")
			w.Header().Del("X-Removed")
			_, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			begin()
			time.Sleep(interval + 1)
			w.Header().Set("X-Late", "late")
			writeJSON(w, http.StatusOK, `{"id":1}`)
		})
		w := httptest.NewRecorder()
		w.Header().Set("X-Outer", "outer")
		w.Header().Set("X-Removed", "removed")
		h.ServeHTTP(w, posting(bothTypes))
		assert.Equal(t, http.Header{
			"X-Outer": {"outer"}, "Access-Control-Allow-Origin": {"https://example.com"},
			"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-cache, no-transform"}, "X-Accel-Buffering": {"no"},
		}, w.Result().Header)
	})
}

// An answer that broke off is no event.
func TestKeepAlive_EndsWithAHandlerThatPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := httptest.NewRecorder()
		assert.Panics(t, func() {
			keptAlive(t, interval, func(w http.ResponseWriter, _ *http.Request, begin func()) {
				begin()
				time.Sleep(interval + 1)
				writeJSON(w, http.StatusOK, `{"id":`)
				panic("broken")
			}).ServeHTTP(w, posting(bothTypes))
		})
		time.Sleep(10 * interval)
		assert.Equal(t, comment, w.Body.String())
	})
}

// plainWriter hides the methods of a writer but those of its interface.
type plainWriter struct{ http.ResponseWriter }

// unwrapped is middleware's writer that can be flushed only through Unwrap.
type unwrapped struct{ plainWriter }

func (w unwrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestKeepAlive_NeedsAWriterThatCanBeFlushed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := keptAlive(t, interval, answerAfter(interval+1))
		w := httptest.NewRecorder()
		h.ServeHTTP(plainWriter{w}, posting(bothTypes))
		assert.Equal(t, "{\"id\":1}\n", w.Body.String())
		w = httptest.NewRecorder()
		h.ServeHTTP(unwrapped{plainWriter{w}}, posting(bothTypes))
		assert.Equal(t, comment+framed, w.Body.String())
		assert.True(t, w.Flushed)
	})
}

// brokenWriter is that of a client that is gone.
type brokenWriter struct {
	*httptest.ResponseRecorder
	writes atomic.Int64
}

func (w *brokenWriter) WriteString(string) (int, error) {
	w.writes.Add(1)
	return 0, io.ErrClosedPipe
}

func TestKeepAlive_GivesUpWhenTheClientIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &brokenWriter{ResponseRecorder: httptest.NewRecorder()}
		keptAlive(t, interval, answerAfter(10*interval)).ServeHTTP(w, posting(bothTypes))
		assert.EqualValues(t, 1, w.writes.Load())
	})
}

// LimitHandler, KeepAlive and the sessions go together in any order.
func TestKeepAlive_LeavesTheLimitOfInitialize(t *testing.T) {
	t.Parallel()
	reached := false
	sessions := adapter.NewSessions(0)
	h := adapter.LimitHandler(adapter.KeepAlive(sessions.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		reached = true
	})), 0), 1<<20)
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(
		`{"method":"initialize","params":"`+strings.Repeat("x", 65<<10)+`"}`))
	r.Header.Set("Accept", bothTypes)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	assert.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
	assert.False(t, reached)
}

// Over a connection, comments and the events of several goroutines arrive
// whole, in both versions of HTTP.
func TestKeepAlive_SharesTheConnection(t *testing.T) {
	t.Parallel()
	const writers, events = 4, 50
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprintf("HTTP %d", version), func(t *testing.T) {
			t.Parallel()
			commented := make(chan struct{})
			web := httptest.NewUnstartedServer(keptAlive(t, 50*time.Microsecond, func(w http.ResponseWriter, r *http.Request,
				begin func()) {
				begin()
				<-commented
				var lock sync.Mutex // the SDK's own
				var wg sync.WaitGroup
				for range writers {
					wg.Go(func() {
						for range events {
							lock.Lock()
							writeEvent(w, `{"id":1}`)
							lock.Unlock()
						}
					})
				}
				wg.Wait()
				assert.Equal(t, version, r.ProtoMajor)
			}))
			web.EnableHTTP2 = version == 2
			if version == 2 {
				web.StartTLS()
			} else {
				web.Start()
			}
			t.Cleanup(web.Close)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader("{}"))
			require.NoError(t, err)
			r.Header.Set("Accept", bothTypes)
			resp, err := web.Client().Do(r)
			require.NoError(t, err)
			defer resp.Body.Close()
			assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
			body := bufio.NewReader(resp.Body)
			first, err := body.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, ": keep-alive\n", first)
			close(commented)
			rest, err := io.ReadAll(body)
			require.NoError(t, err)
			all := strings.ReplaceAll(first+string(rest), comment, "")
			assert.Equal(t, strings.Repeat(framed, writers*events), all)
		})
	}
}
