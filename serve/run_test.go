package serve_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve"
	"github.com/toolcontract/toolcontract/trust"
)

const local = "http://127.0.0.1:8080"

func TestServe_CutsClientsThatSendSlowly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sent string
		after      time.Duration
	}{
		{"the header", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n", 5 * time.Second},
		{"the body", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Length: 9\r\n\r\nslow", time.Minute},
		{"the next request", "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", 2 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newPipes()
				s, err := serve.New(l, serve.Config{BodyTimeout: time.Minute})
				require.NoError(t, err)
				s.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, err := io.ReadAll(r.Body)
					assert.Error(t, err, "the body never ends")
				}))
				stop := start(t, s, newGuard(t))
				begun := time.Now()
				c, err := l.dial()
				require.NoError(t, err)
				go func() { _, _ = io.WriteString(c, tt.sent) }()
				_, err = io.Copy(io.Discard, c)
				require.NoError(t, err)
				assert.Equal(t, tt.after, time.Since(begun))
				require.NoError(t, stop())
			})
		})
	}
}

func TestServe_SlowAnswersAndStreamsHaveNoDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		s, err := serve.New(l, serve.Config{BodyTimeout: time.Second})
		require.NoError(t, err)
		s.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			time.Sleep(time.Hour)
			assert.NoError(t, r.Context().Err())
			_, _ = w.Write(body)
		}))
		stop := start(t, s, newGuard(t))
		status, body := get(t, l.client(t), http.MethodPost, local+"/mcp", func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("answered"))
		})
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, "answered", body)
		require.NoError(t, stop())
	})
}

// A trail records what was called in which order.
type trail chan string

func (tr trail) Write(context.Context, audit.Event) error {
	time.Sleep(time.Second) // a slow sink
	tr <- "audited"
	return nil
}

type closing struct {
	trail trail
	name  string
	err   error
}

func (c closing) Close() error {
	c.trail <- c.name
	return c.err
}

func TestServe_EndsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		happened := make(trail, 100)
		working := make(chan struct{})
		tool := contract.New("jobs.run", func(context.Context, struct{}) (string, error) {
			close(working)
			time.Sleep(5 * time.Second)
			happened <- "ran"
			return "done", nil
		}).Description("Runs a job.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
		g := newGuard(t, guard.WithPrincipal(guard.PrincipalFunc(identified)), guard.WithAudit(happened))
		set, err := g.Protect(tool)
		require.NoError(t, err)

		l := newPipes()
		s, err := serve.New(l, serve.Config{DrainDelay: 10 * time.Second})
		require.NoError(t, err)
		s.Handle("/call", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			result, err := exchange.Of(set).Call(r.Context(), exchange.Request{Tool: "jobs.run", Arguments: []byte(`{}`)})
			assert.NoError(t, err)
			_, _ = io.WriteString(w, string(result.Outcome.Status))
		}))
		s.Handle("/stream", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "open\n")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			happened <- "stream ended"
		}))
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan error, 1)
		broken := errors.New("the store is gone")
		go func() {
			ended <- func() (err error) {
				defer serve.Close(&err, nil)
				defer serve.Close(&err, closing{happened, "store closed", broken})
				defer serve.Close(&err, closing{happened, "sink closed", nil})
				return s.Serve(ctx, g)
			}()
		}()
		c := l.client(t)
		ready := func() int {
			status, _ := get(t, c, http.MethodGet, local+"/readyz", nil)
			return status
		}
		alive := func() int {
			status, _ := get(t, c, http.MethodGet, local+"/healthz", nil)
			return status
		}
		assert.Equal(t, http.StatusOK, ready())
		stream, err := c.Get(local + "/stream")
		require.NoError(t, err)
		defer stream.Body.Close()
		line, err := bufio.NewReader(stream.Body).ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, "open\n", line)

		cancel()
		synctest.Wait()
		assert.Equal(t, http.StatusServiceUnavailable, ready(), "load balancers see the end first")
		assert.Equal(t, http.StatusOK, alive())
		time.Sleep(9 * time.Second)
		answered := make(chan string, 1)
		go func() {
			resp, err := c.Post(local+"/call", "", nil)
			if !assert.NoError(t, err) {
				return
			}
			body, err := io.ReadAll(resp.Body)
			assert.NoError(t, errors.Join(err, resp.Body.Close()))
			answered <- string(body)
		}()
		<-working
		time.Sleep(2 * time.Second)
		synctest.Wait()
		_, err = l.dial()
		require.ErrorIs(t, err, errRefused, "it no longer accepts")
		assert.Equal(t, string(contract.StatusOK), <-answered)
		require.ErrorIs(t, <-ended, broken)
		var order []string
		for len(happened) > 0 {
			order = append(order, <-happened)
		}
		assert.Equal(t, []string{"ran", "audited", "stream ended", "sink closed", "store closed"}, order)
	})
}

// Browsers open connections in advance, and clients that give up a request may
// leave one behind.
func TestServe_DoesNotWaitForAConnectionWithoutARequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		s, err := serve.New(l, serve.Config{})
		require.NoError(t, err)
		stop := start(t, s, newGuard(t))
		unused, err := l.dial()
		require.NoError(t, err)
		defer unused.Close()
		synctest.Wait()
		begun := time.Now()
		require.NoError(t, stop())
		assert.Less(t, time.Since(begun), time.Second)
	})
}

func TestServe_StopsWhenItsAddressFails(t *testing.T) {
	t.Parallel()
	l := newPipes()
	s, err := serve.New(l, serve.Config{})
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.Error(t, s.Serve(t.Context(), newGuard(t)))
}
