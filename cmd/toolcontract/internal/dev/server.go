package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// startTime bounds how long a server takes to start, once it is built.
const startTime = 2 * time.Minute

var errFailed = errors.New("the server could not be started a moment ago")

// running returns the connection to the server, starting the server if none is
// running.
func (s *session) running(ctx context.Context) (client.Conn, error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	conn, failed, ended := s.conn, s.failed, s.ended
	s.mu.Unlock()
	if ended {
		return nil, context.Canceled
	}
	if conn != nil {
		select {
		case <-conn.Done():
			s.on.Note("%s the server ended by itself; it is started again", now())
		default:
			return conn, nil
		}
	}
	if time.Since(failed) < time.Second {
		return nil, errFailed
	}
	return s.start(ctx)
}

// start builds the server, starts it, and initializes it as the client did. The
// caller holds starting.
func (s *session) start(ctx context.Context) (client.Conn, error) {
	conn, err := s.connect(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.conn = nil
		s.failed = time.Now()
		return nil, err
	}
	s.conn, s.failed = conn, time.Time{}
	return conn, nil
}

func (s *session) connect(ctx context.Context) (conn client.Conn, err error) {
	if err := s.build(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTime)
	defer cancel()
	ready := make(chan struct{})
	conn, err = s.transport.Connect(ctx, func(body json.RawMessage) {
		<-ready
		s.receive(conn, body)
	})
	close(ready)
	if err == nil {
		err = s.greet(ctx, conn)
	}
	return conn, err
}

// greet begins a session of an older protocol with a new server, the way the
// client began it.
func (s *session) greet(ctx context.Context, conn client.Conn) error {
	s.mu.Lock()
	greeting := s.greeting
	s.mu.Unlock()
	for _, line := range greeting {
		var m message
		_ = json.Unmarshal(line, &m) // it has been read before
		if m.Method == initialize {
			number, body := s.withNumberID(withMember(line, "id", json.RawMessage("0")), message{ID: json.RawMessage("0")})
			if _, err := conn.Exchange(ctx, client.Message{Body: body, ID: number, Method: m.Method}); err != nil {
				return errors.Join(err, conn.Close())
			}
			continue
		}
		if _, err := conn.Exchange(ctx, client.Message{Body: line}); err != nil {
			return errors.Join(err, conn.Close())
		}
	}
	return nil
}

// restart stops the server and, if a client has needed one so far, starts it
// again. name is the file that changed.
func (s *session) restart(ctx context.Context, name string) {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	old, failed, ended := s.conn, s.failed, s.ended
	s.conn = nil
	s.mu.Unlock()
	if ended || old == nil && failed.IsZero() {
		return
	}
	if old != nil {
		_ = old.Close() // running calls still get their answers
		s.withdraw(old)
	}
	if _, err := s.start(ctx); err != nil {
		s.on.Note("%s %s after %s changed: %s", now(), cli.Paint(s.on.Stderr, cli.Red, "the server does not start"), name,
			cli.OneLine(err.Error()))
		return
	}
	s.on.Note("%s %s: %s changed", now(), cli.Paint(s.on.Stderr, cli.Bold, "started again"), name)
	s.announce()
}

// withdraw withdraws the questions of a server that has ended.
func (s *session) withdraw(old client.Conn) {
	s.mu.Lock()
	var ids []string
	for id, conn := range s.questions {
		if conn == old {
			ids = append(ids, id)
			delete(s.questions, id)
		}
	}
	s.mu.Unlock()
	for _, id := range ids {
		s.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s","params":{"requestId":%s}}`, cancelled, id))
	}
}

// announce notifies the client that the list of tools may have changed: once
// for its session, or for each of its subscriptions.
func (s *session) announce() {
	s.mu.Lock()
	var lines []json.RawMessage
	if len(s.greeting) > 0 {
		lines = append(lines, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s"}`, listChanged))
	}
	for id, r := range s.open {
		if r.method == listen {
			lines = append(lines, fmt.Appendf(nil,
				`{"jsonrpc":"2.0","method":"%s","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, listChanged, id))
		}
	}
	s.mu.Unlock()
	for _, line := range lines {
		s.write(line)
	}
}

// isReplaced reports whether a server is being stopped on purpose, or has been.
func (s *session) isReplaced(conn client.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn != conn && !s.ended
}

// await waits until a server other than the given one is running.
func (s *session) await(ctx context.Context, than client.Conn) {
	for ctx.Err() == nil {
		s.mu.Lock()
		conn := s.conn
		s.mu.Unlock()
		if conn != nil && conn != than {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// end stops the server.
func (s *session) end() {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	conn := s.conn
	s.conn = nil
	s.ended = true
	s.mu.Unlock()
	if conn != nil {
		_ = conn.Close() // the client is gone
	}
}
