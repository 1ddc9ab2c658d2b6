package dev

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

const (
	initialize  = "initialize"
	initialized = "notifications/initialized"
	cancelled   = "notifications/cancelled"
	listen      = "subscriptions/listen"
	discover    = "server/discover"
	listChanged = "notifications/tools/list_changed"
)

// drainTime is how long open requests may take after the client has gone.
const drainTime = 5 * time.Second

// A session is the one with the client. The server behind it can be restarted
// as often as its source changes.
type session struct {
	transport client.Transport
	build     func() error // compiles the server
	on        *cli.Terminal

	starting sync.Mutex // held while a server is started or ended

	mu        sync.Mutex
	conn      client.Conn        // nil: no server runs
	failed    time.Time          // when a start last failed
	greeting  []json.RawMessage  // an older client's initialize and its notification
	open      map[string]request // from the client, by ID
	questions map[string]client.Conn
	next      int64
	ended     bool // the client has gone

	writing sync.Mutex
}

// A request from the client is open until it is answered.
type request struct {
	cancel context.CancelFunc
	method string
}

// A message has the members of a message that the session reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

func newSession(transport client.Transport, on *cli.Terminal) *session {
	return &session{transport: transport, on: on, open: map[string]request{}, questions: map[string]client.Conn{}}
}

// serve passes messages on until the input ends.
func (s *session) serve(ctx context.Context) error {
	defer s.end()
	lines := make(chan json.RawMessage)
	var failed error
	go func() {
		defer close(lines)
		in := bufio.NewScanner(s.on.Stdin)
		in.Buffer(nil, client.MaxMessageBytes)
		for in.Scan() {
			lines <- append(json.RawMessage(nil), in.Bytes()...)
		}
		failed = in.Err()
	}()
	var running sync.WaitGroup
	for {
		select {
		case line, more := <-lines:
			if !more {
				answered := make(chan struct{})
				go func() {
					running.Wait()
					close(answered)
				}()
				select {
				case <-answered:
				case <-time.After(drainTime):
				case <-ctx.Done():
				}
				return failed
			}
			s.take(ctx, line, &running)
		case <-ctx.Done():
			return nil
		}
	}
}

// take handles a message from the client.
func (s *session) take(ctx context.Context, line json.RawMessage, running *sync.WaitGroup) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		s.write(json.RawMessage(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is no JSON-RPC message"}}`))
		return
	}
	id := string(m.ID)
	switch {
	case m.Method == cancelled:
		s.mu.Lock()
		r, ok := s.open[string(m.Params.RequestID)]
		s.mu.Unlock()
		if ok {
			r.cancel() // the connection passes it on
		}
	case m.Method != "" && id != "" && id != "null":
		ctx, cancel := context.WithCancel(ctx)
		s.mu.Lock()
		s.open[id] = request{cancel, m.Method}
		s.mu.Unlock()
		work := func() {
			defer cancel()
			s.request(ctx, line, m)
			s.mu.Lock()
			delete(s.open, id)
			s.mu.Unlock()
		}
		if m.Method == listen { // it never ends on its own
			go work()
		} else {
			running.Go(work)
		}
	default:
		s.pass(ctx, line, m)
	}
}

// pass passes on a notification, or the answer to a server's question. An
// answer to a server that has ended is dropped.
func (s *session) pass(ctx context.Context, line json.RawMessage, m message) {
	s.mu.Lock()
	conn := s.conn
	if m.Method == "" {
		conn = s.questions[string(m.ID)]
		delete(s.questions, string(m.ID))
	}
	if m.Method == initialized && len(s.greeting) == 1 {
		s.greeting = append(s.greeting, line)
	}
	s.mu.Unlock()
	if conn != nil {
		_, _ = conn.Exchange(ctx, client.Message{Body: line}) // the server may be gone
	}
}

// request passes on a client's request and the answer to it.
func (s *session) request(ctx context.Context, line json.RawMessage, m message) {
	began := time.Now()
	for {
		conn, err := s.running(ctx)
		if err != nil {
			s.refuse(m, "the server does not run; its stderr has the reason")
			s.note(m, nil, began)
			return
		}
		number, body := s.withNumberID(line, m)
		answer, err := conn.Exchange(ctx, client.Message{Body: body, ID: number, Method: m.Method, Name: m.Params.Name})
		switch {
		case err == nil && m.Method == listen && s.isReplaced(conn):
			s.await(ctx, conn) // it ended because its server did
		case err == nil:
			answer = withMember(answer, "id", m.ID)
			if m.Method == initialize || m.Method == discover {
				answer = withListChanged(answer)
			}
			if m.Method == initialize {
				s.mu.Lock()
				s.greeting = []json.RawMessage{line}
				s.mu.Unlock()
			}
			s.note(m, answer, began)
			s.write(answer)
			return
		case ctx.Err() != nil:
			return // the client is no longer waiting
		case m.Method == listen:
			s.await(ctx, conn)
		case !errors.Is(err, client.ErrUnsent):
			s.refuse(m, "the server ended before it answered; a call may have had its effect")
			s.note(m, nil, began)
			return
		}
	}
}

// withNumberID returns a request whose ID is a number, which connections need.
// A client's own ID is kept if it is a number.
func (s *session) withNumberID(line json.RawMessage, m message) (int64, json.RawMessage) {
	var id int64
	if json.Unmarshal(m.ID, &id) == nil && id > 0 {
		return id, line
	}
	s.mu.Lock()
	s.next--
	id = s.next
	s.mu.Unlock()
	return id, withMember(line, "id", json.RawMessage(fmt.Sprint(id)))
}

// receive passes on a notification or a request from the server.
func (s *session) receive(conn client.Conn, body json.RawMessage) {
	var m message
	if json.Unmarshal(body, &m) != nil {
		return
	}
	if len(m.ID) > 0 && m.Method != "" {
		s.mu.Lock()
		s.questions[string(m.ID)] = conn
		s.mu.Unlock()
	}
	s.write(body)
}

func (s *session) refuse(m message, reason string) {
	s.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, m.ID, reason))
}

// write writes a line to the client.
func (s *session) write(line json.RawMessage) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = s.on.Stdout.Write([]byte(strings.TrimSpace(string(line)) + "\n")) // the client may be gone
}
