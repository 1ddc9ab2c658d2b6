package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
)

// A restarting is a server over HTTP that forgets all its sessions when it
// restarts. It answers a request in an unknown session with a status and a body
// of its own choice, as servers do.
type restarting struct {
	status int
	body   string // with %s for the request's ID
	// amnesiac servers open sessions but know none of them. Others refuse only the
	// tool "bad", in the same way.
	amnesiac bool

	mu       sync.Mutex
	sessions map[string]bool
	opened   int
	calls    int
	held     chan struct{} // closes when the tool "hold" may answer
}

func (s *restarting) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = nil
}

// counts returns how many sessions were opened and how many calls ran.
func (s *restarting) counts() (opened, calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened, s.calls
}

func (s *restarting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	if json.Unmarshal(body, &m) != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	session := r.Header.Get("Mcp-Session-Id")
	s.mu.Lock()
	switch {
	case m.Method == "initialize":
		s.opened++
		session = fmt.Sprint("session-", s.opened)
		if s.sessions == nil {
			s.sessions = map[string]bool{}
		}
		s.sessions[session] = !s.amnesiac
		w.Header().Set("Mcp-Session-Id", session)
	case m.Method == "notifications/initialized":
		s.mu.Unlock()
		w.WriteHeader(http.StatusAccepted)
		return
	case !s.sessions[session], m.Params.Name == "bad":
		s.mu.Unlock()
		if strings.HasPrefix(s.body, "{") {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, strings.ReplaceAll(s.body, "%s", string(m.ID)))
		return
	case m.Method == "tools/call":
		s.calls++
	}
	s.mu.Unlock()
	if m.Params.Name == "hold" {
		<-s.held
	}
	w.Header().Set("Content-Type", "application/json")
	result := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`,
		"tools/call": `{"content":[]}`,
		"ping":       `{}`,
	}[m.Method]
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func start(t *testing.T, s *restarting, status int, body string) *client.Client {
	t.Helper()
	s.status, s.body = status, body
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return newClient(t, client.HTTP{URL: web.URL})
}

// answers to a request in an unknown session, by the servers that give them.
var unknownSession = map[string]struct {
	status int
	body   string
	sent   bool // the client must assume that the call may have run
}{
	"the protocol":                  {http.StatusNotFound, "", false},
	"the TypeScript SDK's examples": {http.StatusBadRequest, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"No session"},"id":null}`, false},
	"its everything server":         {http.StatusBadRequest, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"No session"},"id":%s}`, false},
	"a text":                        {http.StatusBadRequest, "Invalid session ID", false},
	"unauthorized":                  {http.StatusUnauthorized, "", false},
	"forbidden":                     {http.StatusForbidden, "", false},
	"conflict":                      {http.StatusConflict, "", false},
	"gone":                          {http.StatusGone, "", false},
	"unprocessable":                 {http.StatusUnprocessableEntity, `{"detail":"unknown session"}`, false},
	"an exception":                  {http.StatusInternalServerError, "oops", true},
	"no error of HTTP":              {http.StatusOK, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"No session"},"id":%s}`, true},
	"no error of HTTP, own code":    {http.StatusOK, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"No session"},"id":%s}`, true},
}

// A server that has forgotten its sessions answers every request in them with
// an error, forever: the client must open another session, whatever the error
// is.
func TestThreat191_AForgottenSessionIsOpenedAgainWhateverTheStatus(t *testing.T) {
	t.Parallel()
	for name, c := range unknownSession {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &restarting{}
			caller := start(t, s, c.status, c.body)
			_, err := caller.ListTools(t.Context())
			require.NoError(t, err)
			for restarts := 1; restarts <= 2; restarts++ {
				s.restart()
				_, err = caller.Call(t.Context(), client.CallParams{Name: "a"})
				require.Error(t, err)
				if c.sent {
					require.NotErrorIs(t, err, client.ErrUnsent, "such an answer can come after the effect")
				} else {
					require.ErrorIs(t, err, client.ErrUnsent)
				}
				_, err = caller.Call(t.Context(), client.CallParams{Name: "a"})
				require.NoError(t, err, "the next call opens a session")
				opened, calls := s.counts()
				assert.Equal(t, 1+restarts, opened)
				assert.Equal(t, restarts, calls)
			}
			s.restart()
			_, err = caller.ListTools(t.Context())
			require.Error(t, err)
			_, err = caller.ListTools(t.Context())
			require.NoError(t, err, "so does the next list")
		})
	}
}

// An error about a request is no reason to open another session.
func TestClient_AnErrorAboutARequestKeepsTheSession(t *testing.T) {
	t.Parallel()
	for name, c := range unknownSession {
		if c.status == http.StatusNotFound {
			continue // within a session, the protocol gives it just that meaning
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &restarting{}
			caller := start(t, s, c.status, c.body)
			for range 3 {
				_, err := caller.Call(t.Context(), client.CallParams{Name: "bad"})
				require.Error(t, err)
				require.NotErrorIs(t, err, client.ErrUnsent)
				_, err = caller.Call(t.Context(), client.CallParams{Name: "a"})
				require.NoError(t, err)
			}
			opened, _ := s.counts()
			assert.Equal(t, 1, opened)
		})
	}
}

// A server that asks for fewer requests gets neither a ping nor another
// session.
func TestClient_ABusyServerKeepsTheSession(t *testing.T) {
	t.Parallel()
	s := &restarting{}
	caller := start(t, s, http.StatusTooManyRequests, "")
	_, err := caller.ListTools(t.Context())
	require.NoError(t, err)
	s.restart()
	_, err = caller.Call(t.Context(), client.CallParams{Name: "a"})
	require.Error(t, err)
	s.mu.Lock()
	s.sessions = map[string]bool{"session-1": true}
	s.mu.Unlock()
	_, err = caller.Call(t.Context(), client.CallParams{Name: "a"})
	require.NoError(t, err)
	opened, _ := s.counts()
	assert.Equal(t, 1, opened)
}

// A server that forgets every session it opens is asked for a bounded number of
// them.
func TestClient_AServerThatForgetsEachSessionIsNotFlooded(t *testing.T) {
	t.Parallel()
	for name, c := range unknownSession {
		if c.sent && c.status == http.StatusOK {
			continue // one session per call, and none in vain
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &restarting{amnesiac: true}
			caller := start(t, s, c.status, c.body)
			began := time.Now()
			for range 200 {
				_, err := caller.Call(t.Context(), client.CallParams{Name: "a"})
				require.Error(t, err)
			}
			opened, calls := s.counts()
			// The pauses double from 100 milliseconds.
			least := time.Duration(1<<min(max(opened-2, 0), 30)) * 50 * time.Millisecond
			assert.LessOrEqual(t, least, time.Since(began)+100*time.Millisecond, "%d", opened)
			assert.Zero(t, calls)
		})
	}
}

// A call that is still running when another one learns that the session is
// unknown gets its answer.
func TestClient_AForgottenSessionEndsNoOtherCall(t *testing.T) {
	t.Parallel()
	s := &restarting{held: make(chan struct{})}
	caller := start(t, s, http.StatusBadRequest, "")
	_, err := caller.ListTools(t.Context())
	require.NoError(t, err)
	answered := make(chan error, 1)
	go func() {
		_, err := caller.Call(t.Context(), client.CallParams{Name: "hold"})
		answered <- err
	}()
	require.Eventually(t, func() bool { _, calls := s.counts(); return calls == 1 }, time.Minute, time.Millisecond)
	s.restart()
	_, err = caller.Call(t.Context(), client.CallParams{Name: "a"})
	require.ErrorIs(t, err, client.ErrUnsent)
	_, err = caller.Call(t.Context(), client.CallParams{Name: "a"})
	require.NoError(t, err)
	close(s.held)
	assert.NoError(t, <-answered)
}
