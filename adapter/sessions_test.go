package adapter_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/adapter"
)

// A sessionKit has an endpoint whose "SDK" keeps each session that is named in
// a header, and answers with a status.
type sessionKit struct {
	*adapter.Sessions

	mu      sync.Mutex
	gone    []string
	status  int
	release chan struct{} // an answer waits for it, unless it is nil
	opened  func(context.Context)
}

func newSessionKit(timeout time.Duration) *sessionKit {
	return &sessionKit{Sessions: adapter.NewSessions(timeout), status: http.StatusOK}
}

func (k *sessionKit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if id := r.Header.Get("Opened"); id != "" {
		k.began(r.Context(), id)
		if k.opened != nil {
			k.opened(r.Context())
		}
	}
	if k.release != nil {
		<-k.release
	}
	w.WriteHeader(k.status)
}

func (k *sessionKit) began(ctx context.Context, id string) {
	k.Began(ctx, id, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.gone = append(k.gone, id)
	})
}

// ended returns the sessions that have ended so far.
func (k *sessionKit) ended() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.gone)
}

// do sends a request that names a session in one header.
func (k *sessionKit) do(method, header, id, body string) int {
	r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
	r.Header.Set(header, id)
	w := httptest.NewRecorder()
	adapter.LimitHandler(k.Handler(k), 0).ServeHTTP(w, r)
	return w.Code
}

func TestSessions_EndWithoutARequest(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[time.Duration]time.Duration{0: 30 * time.Minute, -1: 30 * time.Minute, time.Hour: time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			k := newSessionKit(timeout)
			k.do(http.MethodPost, "Opened", "a", "{}")
			k.do(http.MethodPost, "Opened", "b", "{}")
			time.Sleep(want - time.Second)
			k.do(http.MethodPost, "Mcp-Session-Id", "b", "{}")
			synctest.Wait()
			assert.Empty(t, k.ended())
			time.Sleep(time.Second)
			synctest.Wait()
			assert.Equal(t, []string{"a"}, k.ended())
			assert.False(t, k.IsOpen("a"))
			assert.True(t, k.IsOpen("b"))
			time.Sleep(want)
			synctest.Wait()
			assert.Equal(t, []string{"a", "b"}, k.ended())
		})
	}
}

func TestSessions_StayWhileARequestIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newSessionKit(time.Minute)
		k.do(http.MethodPost, "Opened", "a", "{}")
		k.release = make(chan struct{})
		done := make(chan struct{})
		go func() {
			k.do(http.MethodGet, "Mcp-Session-Id", "a", "")
			close(done)
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Empty(t, k.ended())
		close(k.release)
		<-done
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, k.ended())
	})
}

// An SDK may register a session only at the end of the request that opens it,
// so ending it earlier would leave it in the SDK.
func TestSessions_StayWhileTheRequestThatOpensThemIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newSessionKit(time.Minute)
		k.release = make(chan struct{})
		var opening context.Context
		k.opened = func(ctx context.Context) {
			opening = ctx
			k.began(ctx, "a") // again
		}
		done := make(chan struct{})
		go func() {
			k.do(http.MethodPost, "Opened", "a", "{}")
			close(done)
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Empty(t, k.ended())
		close(k.release)
		<-done
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, k.ended())

		k.began(opening, "b") // an SDK may use this context for later requests
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"a", "b"}, k.ended())
	})
}

func TestSessions_ForgetsOneThatItsClientEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newSessionKit(time.Minute)
		k.do(http.MethodPost, "Opened", "a", "{}")
		k.status = http.StatusForbidden
		k.do(http.MethodDelete, "Mcp-Session-Id", "a", "")
		assert.True(t, k.IsOpen("a"), "of another client")
		k.status = http.StatusNoContent
		k.do(http.MethodDelete, "Mcp-Session-Id", "a", "")
		assert.False(t, k.IsOpen("a"))
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Empty(t, k.ended())
	})
}

// The longest idle ends first, and what a client declares counts.
func TestSessions_TakeBoundedMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newSessionKit(0)
		for _, id := range []string{"a", "b", "c"} {
			k.do(http.MethodPost, "Opened", id, "{}")
		}
		k.do(http.MethodPost, "Mcp-Session-Id", "a", "{}")
		large := `{"a":[` + strings.Repeat("1,", 31<<10) + "1]}"
		for i := 0; len(k.ended()) < 2 && i < 100; i++ {
			k.do(http.MethodPost, "Opened", strings.Repeat("x", i+1), large)
		}
		assert.Equal(t, []string{"b", "c"}, k.ended()[:2])
		for i := range 20_000 {
			k.began(t.Context(), strings.Repeat("y", i+1))
		}
		assert.False(t, k.IsOpen("a"), "the names of sessions count too")
	})
}

func TestSessions_RefusesALongInitialize(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("x", 64<<10)
	for message, want := range map[string]int{
		`{"method":"initialize","params":{"name":"` + name + `"}}`:                     http.StatusRequestEntityTooLarge,
		`[{"method":"ping"},{"method":"initialize","params":{"name":"` + name + `"}}]`: http.StatusRequestEntityTooLarge,
		`[1,{"method":"initialize","params":{"name":"` + name + `"}}]`:                 http.StatusRequestEntityTooLarge,
		`[{"method":"ping","params":{"name":"` + name + `"}}]`:                         http.StatusOK,
		`{"METHOD":"\u0069nitialize","params":{"name":"` + name + `"}}`:                http.StatusRequestEntityTooLarge,
		`{"method":"tools/call","params":{"initialize":"` + name + `"}}`:               http.StatusOK,
		`{"method":"initialize","params":{}}`:                                          http.StatusOK,
	} {
		k := newSessionKit(0)
		assert.Equal(t, want, k.do(http.MethodPost, "Opened", "a", message))
		assert.Equal(t, want == http.StatusOK, k.IsOpen("a"))
	}
}
