package adapter_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
)

func TestLimitHandler_BoundsTheBodyOfAPost(t *testing.T) {
	t.Parallel()
	const limit = 100
	for name, test := range map[string]struct {
		method  string
		size    int
		chunked bool
		status  int
	}{
		"an empty body":           {http.MethodPost, 0, false, http.StatusOK},
		"a body at the limit":     {http.MethodPost, limit, false, http.StatusOK},
		"a chunked body":          {http.MethodPost, limit, true, http.StatusOK},
		"one byte more":           {http.MethodPost, limit + 1, false, http.StatusRequestEntityTooLarge},
		"one byte more, chunked":  {http.MethodPost, limit + 1, true, http.StatusRequestEntityTooLarge},
		"much more, chunked":      {http.MethodPost, 1 << 20, true, http.StatusRequestEntityTooLarge},
		"a DELETE with a body":    {http.MethodDelete, limit + 1, false, http.StatusOK},
		"a GET":                   {http.MethodGet, 0, false, http.StatusOK},
		"a GET with a large body": {http.MethodGet, limit + 1, true, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reached := make(chan int, 1)
			web := httptest.NewServer(adapter.LimitHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				assert.NoError(t, err)
				reached <- len(body)
				_, flushes := w.(http.Flusher)
				assert.True(t, flushes, "streams can still flush")
			}), limit))
			t.Cleanup(web.Close)
			var body io.Reader = strings.NewReader(strings.Repeat("x", test.size))
			if test.chunked {
				body = io.MultiReader(body) // of unknown length
			}
			req, err := http.NewRequestWithContext(t.Context(), test.method, web.URL, body)
			require.NoError(t, err)
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			require.Equal(t, test.status, resp.StatusCode)
			if test.status == http.StatusOK {
				assert.Equal(t, test.size, <-reached)
				return
			}
			assert.Empty(t, reached)
			assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
			raw, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"request body too large"}}`, string(raw))
		})
	}
}

// The default allows the largest arguments of a tool that declares no limit.
func TestLimitHandler_DefaultAllowsTheLargestArguments(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{4 << 20: http.StatusOK,
		4<<20 + 1<<16 + 1: http.StatusRequestEntityTooLarge} {
		for _, limit := range []int64{0, -1} {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size)))
			adapter.LimitHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), limit).ServeHTTP(w, r)
			assert.Equal(t, want, w.Code)
		}
	}
}

type brokenBody struct{ err error }

func (b brokenBody) Read([]byte) (int, error) { return 0, b.err }

// A body that breaks off reaches the handler with its error.
func TestLimitHandler_PassesReadErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.MultiReader(strings.NewReader("half"),
		brokenBody{broken}))
	adapter.LimitHandler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.Equal(t, "half", string(body))
		assert.ErrorIs(t, err, broken)
	}), 100).ServeHTTP(httptest.NewRecorder(), r)
}

// Many clients read no response before they have sent the whole body.
func TestLimitHandler_ClientThatIsStillSendingGetsTheRefusal(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(adapter.LimitHandler(http.NotFoundHandler(), 0))
	t.Cleanup(web.Close)
	const size = 5 << 20
	body := strings.Repeat("x", size)
	for name, request := range map[string]string{
		"with a length": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, body),
		"in chunks":     fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, body),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", web.Listener.Addr().String())
			require.NoError(t, err)
			defer conn.Close()
			_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\n"+request)
			require.NoError(t, err)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			defer resp.Body.Close()
			assert.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)
		})
	}
}

// Reading the body would ask the client to send it.
func TestLimitHandler_DoesNotRequestABodyThatIsTooLarge(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(adapter.LimitHandler(http.NotFoundHandler(), 10))
	t.Cleanup(web.Close)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", web.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n")
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)
}
