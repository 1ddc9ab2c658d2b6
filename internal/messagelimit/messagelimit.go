// Package messagelimit bounds each message that a client receives, while it is
// read. The clients of the SDKs read a message whole, so a server that sends
// without end would fill their memory.
package messagelimit

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
)

var errTooLarge = errors.New("the server sent a message beyond the limit")

// A Limit bounds the messages of one session. It is safe for concurrent use.
type Limit struct {
	bytes    int
	exceeded atomic.Bool
}

// New returns a limit for messages, in bytes.
func New(bytes int) *Limit { return &Limit{bytes: bytes} }

// Exceeded reports whether a message was beyond the limit. SDKs replace the
// error of the reader by their own, so a session asks for it here. It stays
// true, because an agent starts no further request in such a session.
func (l *Limit) Exceeded() bool { return l.exceeded.Load() }

// Lines returns a reader of r, in which each line is a message. At a message
// beyond the limit it ends with an error and closes r, so that a server that
// still writes ends.
func (l *Limit) Lines(r io.ReadCloser) io.Reader {
	return &reader{ReadCloser: r, limit: l, ends: func(bool) bool { return true }}
}

// Client returns a copy of c whose responses end with an error at a message
// beyond the limit. Nil: http.DefaultClient. A message is an event of an event
// stream, or else the whole body. The body of an error is never a stream.
func (l *Limit) Client(c *http.Client) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	limited := *c
	if limited.Transport == nil {
		limited.Transport = http.DefaultTransport
	}
	limited.Transport = &roundTripper{limited.Transport, l}
	return &limited
}

type roundTripper struct {
	base  http.RoundTripper
	limit *Limit
}

// RoundTrip implements [http.RoundTripper].
func (t *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	// The SDKs read a body with another status whole, whatever its type is.
	mayStream := response.StatusCode == http.StatusOK || response.StatusCode == http.StatusAccepted
	isStream := mayStream && kind == "text/event-stream"
	response.Body = &reader{ReadCloser: response.Body, limit: t.limit, ends: func(isBlank bool) bool { return isStream && isBlank }}
	return response, nil
}

// A reader counts the bytes of a message.
type reader struct {
	io.ReadCloser

	limit *Limit
	ends  func(isBlank bool) bool // whether a line ends a message
	count int                     // the bytes of the message
	text  bool                    // the line is not blank
	err   error
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.ReadCloser.Read(p)
	for part := range bytes.Lines(p[:n]) {
		if r.count += len(part); r.count > r.limit.bytes {
			r.limit.exceeded.Store(true)
			r.err = errTooLarge
			_ = r.Close() // the rest is not read
			return 0, r.err
		}
		// A lone CR ends no line: the SDKs do not split there either.
		r.text = r.text || len(bytes.Trim(part, "\r\n")) > 0
		if part[len(part)-1] != '\n' {
			continue // the rest of the line follows
		}
		if r.ends(!r.text) {
			r.count = 0
		}
		r.text = false
	}
	return n, err
}
