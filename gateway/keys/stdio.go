package keys

import (
	"bytes"
	"io"
	"slices"
	"sync"
)

// maxOpen bounds the unanswered tools/list requests of one session. If there
// are more, the oldest are forgotten, and their answers pass unchanged.
const maxOpen = 256

// Stdio returns the streams of a server over stdio with the keys in its answers
// to tools/list. The server reads from the first and writes to the second, in
// any chunks. Each message is one line. Lines pass unchanged and at once,
// except those written while an answer to tools/list is pending: they are
// buffered until complete, up to 16 MiB.
//
// Close writes an incomplete line. It does not close out. The reader is for one
// goroutine. The writer is safe for concurrent use.
func Stdio(in io.Reader, out io.Writer, keys Lookup) (io.Reader, io.WriteCloser) {
	s := &session{}
	return &requests{in: in, session: s}, &lineWriter{out: out, session: s, answers: answers{keys: keys, isOpen: s.isOpen}}
}

// A session has the ids of unanswered tools/list requests.
type session struct {
	mu   sync.Mutex
	open []string
}

func (s *session) begin(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, ids...)
	s.open = slices.Delete(s.open, 0, max(0, len(s.open)-maxOpen))
}

func (s *session) end(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if i := slices.Index(s.open, id); i >= 0 {
			s.open = slices.Delete(s.open, i, i+1)
		}
	}
}

func (s *session) isOpen(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.open, id)
}

func (s *session) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) > 0
}

// A requests reader passes on what the server reads and notes the tools/list
// requests.
type requests struct {
	in      io.Reader
	session *session

	held []byte // of the line that is not complete yet
	long bool   // the line is longer than a request for a list
}

// Read implements [io.Reader]. It notes a request before the server can answer
// it.
func (r *requests) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	rest := p[:n]
	for {
		line, after, complete := bytes.Cut(rest, lineFeed)
		if !complete {
			break
		}
		r.line(line)
		rest = after
	}
	if err != nil {
		r.line(rest) // the last line may have no line break
		return n, err
	}
	if r.long = r.long || len(r.held)+len(rest) > maxRequest; r.long {
		r.held = nil
	} else {
		r.held = append(r.held, rest...)
	}
	return n, nil
}

// line handles the rest of a line.
func (r *requests) line(rest []byte) {
	line, long := rest, r.long
	if len(r.held) > 0 {
		r.held = append(r.held, rest...)
		line = r.held
	}
	r.held, r.long = nil, false
	if long {
		return
	}
	if ids := listIDs(line); len(ids) > 0 {
		r.session.begin(ids)
	}
}

// A lineWriter passes on what the server writes.
type lineWriter struct {
	session *session
	answers answers

	mu   sync.Mutex
	out  io.Writer
	held []byte // of the line that is not complete yet
	long bool   // the rest of the line passes as it arrives
}

// Write implements [io.Writer].
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if len(w.held) == 0 && !w.session.waits() {
		w.long = p[len(p)-1] != '\n'
		return w.out.Write(p)
	}
	written := 0
	for written < len(p) {
		part := p[written:]
		end := bytes.IndexByte(part, '\n')
		if end >= 0 {
			part = part[:end+1]
		}
		if err := w.part(part, end >= 0); err != nil {
			return written, err
		}
		written += len(part)
	}
	return written, nil
}

// part handles bytes of one line.
func (w *lineWriter) part(p []byte, complete bool) error {
	if w.long = w.long || len(w.held)+len(p) > maxMessage; w.long {
		err := w.release()
		if err == nil {
			_, err = w.out.Write(p)
		}
		w.long = !complete
		return err
	}
	if !complete {
		w.held = append(w.held, p...)
		return nil
	}
	line := p
	if len(w.held) > 0 {
		w.held = append(w.held, p...)
		line = w.held
	}
	w.held = nil
	line, ids := w.answers.rewrite(line)
	w.session.end(ids)
	_, err := w.out.Write(line)
	return err
}

// release writes the buffered bytes.
func (w *lineWriter) release() error {
	held := w.held
	if w.held = nil; len(held) == 0 {
		return nil
	}
	_, err := w.out.Write(held)
	return err
}

// Close implements [io.Closer].
func (w *lineWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.release()
}
