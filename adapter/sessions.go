package adapter

import (
	"bytes"
	"container/list"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// sessionTimeout is how long a session may be idle by default.
	sessionTimeout = 30 * time.Minute
	// sessionsBytes is roughly how much memory all sessions of an endpoint may
	// take.
	sessionsBytes = 256 << 20
	// sessionBytes is roughly what an SDK keeps for a session whose client
	// declares nothing.
	sessionBytes = 16 << 10
	// memberBytes is roughly what a member of a decoded JSON object takes
	// beyond its text.
	memberBytes = 256
)

// Sessions bounds the sessions that an SDK keeps for an HTTP endpoint, because
// clients need not end theirs. A session without a request or an open stream
// ends after a timeout. Before all sessions together exceed about 256 MiB, the
// longest idle ones end. A client whose session has ended gets status 404 and
// begins another.
//
// A Sessions is safe for concurrent use.
type Sessions struct {
	timeout time.Duration

	mu    sync.Mutex
	open  map[string]*session
	idle  list.List // of *session without a request; the longest idle is the first
	bytes int       // of all open ones
	timer *time.Timer
}

// A session is one that has begun and not ended.
type session struct {
	id    string
	end   func()
	bytes int
	busy  int           // requests that are being answered
	since time.Time     // of the end of the last request
	place *list.Element // in Sessions.idle; nil while busy
}

// NewSessions returns the sessions of one endpoint. A timeout of zero or less
// means 30 minutes.
func NewSessions(timeout time.Duration) *Sessions {
	if timeout <= 0 {
		timeout = sessionTimeout
	}
	return &Sessions{timeout: timeout, open: map[string]*session{}}
}

// A request is one that the handler is answering.
type request struct {
	body     []byte     // of a POST
	sessions []*session // the one that it names, and those that began with it
	answered bool
}

// requestKey finds the request of a Sessions in its context.
type requestKey struct{ of *Sessions }

// Handler returns a handler that passes requests to h. It must be behind
// [LimitHandler]. It keeps the sessions open whose requests it sees. It refuses
// an initialize of more than 64 KiB as LimitHandler does, because an SDK keeps
// what the client declares.
func (s *Sessions) Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q request
		read := r.Body
		if k, ok := read.(*keepAlive); ok {
			read = k.ReadCloser
		}
		if body, buffered := read.(*bufferedBody); buffered && r.Method == http.MethodPost {
			if len(body.data) > envelopeBytes && isInitialize(body.data) {
				refuseBody(w)
				return
			}
			q.body = body.data
		}
		id := r.Header.Get(headerSession)
		if id != "" && r.Method == http.MethodDelete {
			answer := &statusWriter{ResponseWriter: w}
			h.ServeHTTP(answer, r)
			if answer.status/100 == 2 {
				s.forget(id)
			}
			return
		}
		s.enter(&q, id)
		defer s.leave(&q)
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{s}, &q)))
	})
}

// isInitialize reports whether encoding/json would read a message as an
// initialize, or as a batch with one.
func isInitialize(data []byte) bool {
	type message struct {
		Method string `json:"method"`
	}
	var batch []json.RawMessage
	if json.Unmarshal(data, &batch) != nil {
		batch = []json.RawMessage{data}
	}
	return slices.ContainsFunc(batch, func(data json.RawMessage) bool {
		var m message
		return json.Unmarshal(data, &m) == nil && m.Method == "initialize"
	})
}

// Began adds a session. An adapter calls it when the SDK begins to keep
// anything about a session, with the context of the request, and may call it
// again. The session stays open at least until that request is answered. The
// function must end the session in the SDK; it is called once, with no lock
// held, possibly on a goroutine of its own. An empty id is ignored.
func (s *Sessions) Began(ctx context.Context, id string, end func()) {
	if id == "" {
		return
	}
	q, _ := ctx.Value(requestKey{s}).(*request)
	weight := sessionBytes + len(id)
	if q != nil {
		weight += sizeOf(q.body)
	}
	s.mu.Lock()
	one := s.open[id]
	if one == nil {
		one = &session{id: id, end: end, since: time.Now()}
		s.open[id] = one
		one.place = s.idle.PushBack(one)
	}
	s.occupy(q, one)
	if weight > one.bytes {
		s.bytes += weight - one.bytes
		one.bytes = weight
	}
	s.finish()
}

// sizeOf estimates how much memory a decoded message takes.
func sizeOf(data []byte) int {
	return len(data) + memberBytes*(bytes.Count(data, []byte(":"))+bytes.Count(data, []byte(",")))
}

// IsOpen reports whether a session has begun and not ended.
func (s *Sessions) IsOpen(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id] != nil
}

// enter marks the session that a request names as busy, if it has begun.
func (s *Sessions) enter(q *request, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil {
		s.occupy(q, one)
	}
}

// occupy marks a session as busy until a request is answered. A session also
// waits for the request that opens it: an SDK may register it only at the end
// of that request, and would keep what was ended before.
func (s *Sessions) occupy(q *request, one *session) {
	if q == nil || q.answered || slices.Contains(q.sessions, one) {
		return
	}
	q.sessions = append(q.sessions, one)
	one.busy++
	s.unlist(one)
}

func (s *Sessions) leave(q *request) {
	s.mu.Lock()
	q.answered = true
	for _, one := range q.sessions {
		one.busy--
		if one.busy == 0 && s.open[one.id] == one {
			one.since = time.Now()
			one.place = s.idle.PushBack(one)
		}
	}
	q.sessions = nil
	s.finish()
}

// forget removes a session that the client has ended.
func (s *Sessions) forget(id string) {
	s.mu.Lock()
	if one := s.open[id]; one != nil {
		s.drop(one)
	}
	s.finish()
}

func (s *Sessions) drop(one *session) {
	s.unlist(one)
	s.bytes -= one.bytes
	delete(s.open, one.id)
}

func (s *Sessions) unlist(one *session) {
	if one.place != nil {
		s.idle.Remove(one.place)
		one.place = nil
	}
}

// finish unlocks s and ends the sessions that are due. A timer runs while any
// session is idle.
func (s *Sessions) finish() {
	var ended []*session
	now := time.Now()
	for front := s.idle.Front(); front != nil; front = s.idle.Front() {
		one, _ := front.Value.(*session)
		left := s.timeout - now.Sub(one.since)
		if left > 0 && s.bytes <= sessionsBytes {
			s.wake(left)
			break
		}
		s.drop(one)
		ended = append(ended, one)
	}
	s.mu.Unlock()
	for _, one := range ended {
		one.end()
	}
}

// wake starts the timer if it is not running.
func (s *Sessions) wake(after time.Duration) {
	if s.timer != nil {
		return
	}
	s.timer = time.AfterFunc(after, func() {
		s.mu.Lock()
		s.timer = nil
		s.finish()
	})
}

// A statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
