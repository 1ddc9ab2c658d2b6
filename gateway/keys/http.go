package keys

import (
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
)

// Handler returns next with the keys in its answers to tools/list. next is an
// endpoint of streamable HTTP: it answers POST requests with JSON or with an
// event stream, in any chunks. Other requests and answers pass unchanged,
// including those with a Content-Encoding.
//
// While a JSON answer to tools/list is buffered, Flush does nothing. In an
// event stream, each event is passed on when it is complete. The handler is
// safe for concurrent use if next and keys are.
func Handler(next http.Handler, keys Lookup) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Body == nil || r.ContentLength > maxRequest {
			next.ServeHTTP(w, r)
			return
		}
		answer := &response{ResponseWriter: w, request: seenBody{ReadCloser: r.Body}, keys: keys}
		if r.ContentLength > 0 {
			answer.request.start = make([]byte, 0, r.ContentLength)
		}
		read := r.WithContext(r.Context())
		read.Body = &answer.request
		if _, ok := w.(http.Flusher); ok {
			next.ServeHTTP(flushingResponse{answer}, read)
		} else {
			next.ServeHTTP(answer, read)
		}
		answer.end()
	})
}

// A seenBody is a request body that keeps a copy of its start.
type seenBody struct {
	io.ReadCloser

	start []byte
	long  bool // too long for a tools/list
}

// Read implements [io.Reader].
func (b *seenBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.long = b.long || len(b.start)+n > maxRequest; !b.long {
		b.start = append(b.start, p[:n]...)
	}
	return n, err
}

// A response is the answer to one POST request. Whether it may answer a
// tools/list is decided at the first byte or the status, because next has read
// the request by then.
type response struct {
	http.ResponseWriter

	request seenBody
	keys    Lookup

	decided bool
	status  int      // of a buffered JSON answer; zero if there is none
	held    []byte   // of a JSON answer
	events  *events  // nil unless the answer is an event stream
	open    []string // the ids of unanswered tools/list requests
}

// decide decides by the header and status how to treat the answer.
func (r *response) decide(status int) {
	r.decided = true
	if r.request.long {
		return
	}
	r.open = listIDs(r.request.start)
	r.request.long, r.request.start = true, nil // later bytes do not matter
	header := r.Header()
	if len(r.open) == 0 || status != http.StatusOK || header.Get("Content-Encoding") != "" {
		return
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case err != nil:
	case kind == "application/json":
		r.status = status
	case kind == "text/event-stream":
		header.Del("Content-Length")
		r.events = &events{out: r.ResponseWriter, rewrite: r.rewrite}
	}
}

// rewrite returns a message with the keys, and whether it changed.
func (r *response) rewrite(message []byte) ([]byte, bool) {
	a := answers{keys: r.keys, isOpen: func(id string) bool { return slices.Contains(r.open, id) }}
	rewritten, ids := a.rewrite(message)
	r.open = slices.DeleteFunc(r.open, func(id string) bool { return slices.Contains(ids, id) })
	return rewritten, len(ids) > 0
}

// WriteHeader implements [http.ResponseWriter].
func (r *response) WriteHeader(status int) {
	if status >= http.StatusOK && !r.decided {
		r.decide(status)
	}
	if r.status == 0 || status < http.StatusOK {
		r.ResponseWriter.WriteHeader(status)
	}
}

// Write implements [io.Writer].
func (r *response) Write(p []byte) (int, error) {
	if !r.decided {
		r.decide(http.StatusOK)
	}
	switch {
	case r.events != nil:
		return r.events.Write(p)
	case r.status == 0:
		return r.ResponseWriter.Write(p)
	case len(r.held)+len(p) <= maxMessage:
		r.held = append(r.held, p...)
		return len(p), nil
	}
	if err := r.release(r.held); err != nil {
		return 0, err
	}
	return r.ResponseWriter.Write(p)
}

// release stops buffering a JSON answer and writes a body.
func (r *response) release(body []byte) error {
	status := r.status
	r.status, r.held = 0, nil
	r.ResponseWriter.WriteHeader(status)
	_, err := r.ResponseWriter.Write(body)
	return err
}

// end writes everything that is still buffered. The client may be gone.
func (r *response) end() {
	switch {
	case r.events != nil:
		_ = r.events.Close()
	case r.status != 0:
		body, changed := r.rewrite(r.held)
		if changed && r.Header().Get("Content-Length") != "" {
			r.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		_ = r.release(body)
	}
}

// FlushError is for [http.ResponseController].
func (r *response) FlushError() error {
	if !r.decided {
		r.decide(http.StatusOK)
	}
	if r.status != 0 {
		return nil
	}
	return http.NewResponseController(r.ResponseWriter).Flush()
}

// Unwrap is for [http.ResponseController].
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// A flushingResponse is a response whose writer can be flushed. SDKs do not
// stream to one that cannot.
type flushingResponse struct{ *response }

// Flush implements [http.Flusher].
func (r flushingResponse) Flush() { _ = r.FlushError() }
