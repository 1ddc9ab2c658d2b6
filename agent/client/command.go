package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Command is a [Transport] to a server that it starts as a process and that
// serves over stdio. Each connection is a new process. When the connection
// ends, so does everything the process started, such as the server behind a
// shell: on Unix its process group, on Windows its job object. If a process
// ends with a status other than zero, its requests get an error that wraps an
// [*exec.ExitError].
type Command struct {
	// Path is the program, and Args are its arguments without the name of the
	// program. Path is required.
	Path string
	Args []string
	// Env lists environment variables for the process, each as "NAME=value". The
	// process also gets a small safe set of this process's own variables, such as
	// PATH, HOME, LANG, TMPDIR and TZ, and SYSTEMROOT on Windows; Env overrides
	// them. Nil: only the safe set. The rest of this process's environment may
	// hold secrets and is not passed on unless it is named here.
	Env []string
	// Dir is the working directory. Empty: that of this process.
	Dir string
	// Stderr gets what the server logs. Nil: it is discarded.
	Stderr io.Writer
}

// Connect starts the process. It implements [Transport].
func (c Command) Connect(_ context.Context, receive func(json.RawMessage)) (Conn, error) {
	if c.Path == "" {
		return nil, errors.New("client: the command has no path; set Command.Path")
	}
	// The context of the first request must not end the process.
	cmd := exec.Command(c.Path, c.Args...) //nolint:noctx // Close ends it
	cmd.Env = environment(c.Env)
	cmd.Dir, cmd.Stderr = c.Dir, c.Stderr
	p, err := startProcess(cmd, endTime)
	if err != nil {
		return nil, fmt.Errorf("client: the command cannot be started: %w", err)
	}
	s := newStream(p.in, receive)
	s.ended = p.end
	go s.read(p.out)
	return s, nil
}

// A stream is a connection over lines of JSON.
type stream struct {
	in      deadlineWriter
	ended   func() error // ends the owner of the stream; see process.end
	receive func(json.RawMessage)
	done    chan struct{} // closed when no more answers can arrive
	gone    chan struct{} // closed when the process has ended too
	close   func()
	closed  atomic.Bool   // by this side
	writing chan struct{} // a lock that can be waited for with a context

	mu      sync.Mutex
	waiting map[int64]chan json.RawMessage // nil after the end
	cause   error
}

type deadlineWriter interface {
	io.WriteCloser
	SetWriteDeadline(time.Time) error
}

func newStream(in deadlineWriter, receive func(json.RawMessage)) *stream {
	s := &stream{
		in: in, receive: receive, done: make(chan struct{}), gone: make(chan struct{}),
		writing: make(chan struct{}, 1), waiting: map[int64]chan json.RawMessage{}, cause: errClosed,
	}
	s.close = sync.OnceFunc(func() {
		s.closed.Store(true)
		_ = in.Close()
	})
	return s
}

// read reads messages until the output of the server ends.
func (s *stream) read(out io.Reader) {
	defer close(s.gone)
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := readLine(lines)
		if len(line) > 0 {
			s.dispatch(line)
		}
		if err != nil {
			s.fail(s.reason(err))
			return
		}
	}
}

// reason ends the process behind the stream and returns why its output ended.
func (s *stream) reason(err error) error {
	isClosed := s.closed.Load()
	status := s.ended()
	switch {
	case errors.Is(err, ErrMessageTooLarge):
		return err
	case isClosed:
		return errClosed
	case status == nil:
		return errors.New("client: the server has ended")
	}
	return fmt.Errorf("client: the server has ended: %w", status)
}

// readLine returns a line without its line ending. A line beyond
// [MaxMessageBytes] is an error.
func readLine(r *bufio.Reader) (json.RawMessage, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > MaxMessageBytes {
			return nil, ErrMessageTooLarge
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return trimmed(line), err
		}
	}
}

func trimmed(line []byte) json.RawMessage {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r' || line[len(line)-1] == ' ') {
		line = line[:len(line)-1]
	}
	return line
}

func (s *stream) dispatch(line json.RawMessage) {
	id, ok := answers(line)
	if !ok {
		s.receive(line)
		return
	}
	s.mu.Lock()
	answer := s.waiting[id]
	delete(s.waiting, id)
	s.mu.Unlock()
	if answer != nil {
		answer <- line
	}
}

// fail ends all waiting requests. The first cause wins.
func (s *stream) fail(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		return
	}
	s.cause = cause
	for _, answer := range s.waiting {
		close(answer)
	}
	s.waiting = nil
	close(s.done)
}

// Exchange implements [Conn].
func (s *stream) Exchange(ctx context.Context, m Message) (json.RawMessage, error) {
	answer := make(chan json.RawMessage, 1)
	if m.ID != 0 {
		s.mu.Lock()
		if s.waiting == nil {
			s.mu.Unlock()
			return nil, &unsentError{s.cause}
		}
		s.waiting[m.ID] = answer
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			delete(s.waiting, m.ID)
			s.mu.Unlock()
		}()
	}
	if err := s.write(ctx, m.Body); err != nil || m.ID == 0 {
		return nil, err
	}
	select {
	case response, ok := <-answer:
		if !ok {
			return nil, s.cause
		}
		return response, nil
	case <-ctx.Done():
		s.cancel(m)
		return nil, ctx.Err()
	}
}

// cancel tells the server that a request was given up.
func (s *stream) cancel(m Message) {
	if m.Method == methodInitialize {
		return // the protocol forbids it
	}
	ctx, stop := context.WithTimeout(context.Background(), replyTime)
	defer stop()
	_ = s.write(ctx, cancellation(m.ID))
}

// write writes a line. A part of a line would make the stream useless, so it
// ends the connection. So does a process that does not read. When ctx ends, the
// write still gets some time, because others may use the connection.
func (s *stream) write(ctx context.Context, body json.RawMessage) error {
	select {
	case s.writing <- struct{}{}:
	case <-ctx.Done():
		return &unsentError{ctx.Err()}
	}
	defer func() { <-s.writing }()
	limited := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(limited)
		_ = s.in.SetWriteDeadline(time.Now().Add(writeTime))
	})
	n, err := s.in.Write(append(slices.Clip(body), '\n'))
	if !stop() {
		<-limited
		_ = s.in.SetWriteDeadline(time.Time{})
	}
	switch {
	case err == nil:
		return nil
	case n == 0:
		return &unsentError{s.abandon(err)}
	}
	return s.abandon(err)
}

// abandon ends a connection that nothing can be sent on any more, and returns
// why. Otherwise a process that hangs would keep the connection open.
func (s *stream) abandon(err error) error {
	if isBroken(err) { // the server no longer reads, so it has probably ended
		go func() { _ = s.ended() }()
		<-s.done
		return s.cause
	}
	s.close()
	go func() { _ = s.ended() }()
	return errClosed
}

// Listen implements [Conn]. Notifications need no separate stream.
func (s *stream) Listen() {}

// Done implements [Conn].
func (s *stream) Done() <-chan struct{} { return s.done }

// Close implements [Conn]. It closes the input of the process, and terminates
// or kills it if it does not end.
func (s *stream) Close() error {
	s.close()
	_ = s.ended()
	<-s.gone
	return nil
}

// An unsentError means that no part of a message has reached the server.
type unsentError struct{ err error }

func (e *unsentError) Error() string   { return e.err.Error() }
func (e *unsentError) Unwrap() []error { return []error{e.err, ErrUnsent} }
