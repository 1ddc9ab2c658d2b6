package adapter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// quietTime is how long a call may send nothing by default. Proxies wait a
// minute.
const quietTime = 15 * time.Second

const (
	eventStream = "text/event-stream"
	// unbuffered is nginx's header for a response that it must pass on at once.
	// It would hold back a stream, and with it the question to a person.
	unbuffered = "X-Accel-Buffering"
)

// KeepAlive keeps the connection of a quiet call open, because proxies close
// one on which nothing is sent, nginx after 60 seconds by default. h is the
// HTTP handler of an SDK, or an endpoint around one.
//
// If h sends nothing for interval after [Table.Call] has begun, the response
// becomes an event stream with status 200, and gets a comment after each
// interval without an event. A JSON answer that h writes later becomes an event
// of that stream, whatever its status. A stream that h starts itself gets
// comments between its events. The header X-Accel-Buffering keeps nginx from
// buffering either.
//
// This is done only for a POST whose Accept header names text/event-stream.
// Whatever h refuses before Table.Call, such as a wrong header, keeps its
// status. The client's own timeout still applies.
//
// An interval of zero means 15 seconds, and a negative one never. The endpoints
// of both adapters use KeepAlive with 15 seconds. A KeepAlive around another
// replaces it.
func KeepAlive(h http.Handler, interval time.Duration) http.Handler {
	interval = cmp.Or(interval, quietTime)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(keepAliveKey{}) != nil || r.Method != http.MethodPost || r.Body == nil || !canFlush(w) ||
			!strings.Contains(strings.Join(r.Header.Values("Accept"), ","), eventStream) {
			h.ServeHTTP(w, r)
			return
		}
		k := &keepAlive{ReadCloser: r.Body, w: w, header: w.Header().Clone(), interval: interval}
		r = r.WithContext(context.WithValue(r.Context(), keepAliveKey{}, k))
		if interval < 0 {
			h.ServeHTTP(w, r)
			return
		}
		r.Body = k
		defer k.end()
		h.ServeHTTP(k, r)
	})
}

// canFlush reports whether [http.ResponseController] can flush w.
func canFlush(w http.ResponseWriter) bool {
	if _, ok := w.(http.Flusher); ok {
		return true
	}
	outer, ok := w.(interface{ Unwrap() http.ResponseWriter })
	return ok && canFlush(outer.Unwrap())
}

// keepAliveKey is the context key of the keepAlive of a request.
type keepAliveKey struct{}

// callBegins tells the request's KeepAlive, if it has one, that the SDK has no
// more reason to refuse the request. The context can be that of a request that
// was answered long ago.
func callBegins(ctx context.Context) {
	k, ok := ctx.Value(keepAliveKey{}).(*keepAlive)
	if !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.interval > 0 {
		k.wait()
	}
}

// A keepAlive is the response writer and the body of one request. The SDK's
// goroutines and the timer share it.
type keepAlive struct {
	io.ReadCloser

	interval time.Duration

	mu     sync.Mutex
	w      http.ResponseWriter
	header http.Header // the handler's, which it may change at any time until answered
	timer  *time.Timer // of the next comment; nil before the call begins

	isStream  bool         // the header of an event stream has been sent
	isInEvent bool         // the stream's last event is incomplete
	answered  bool         // the handler has begun its answer
	isFramed  bool         // that answer goes into the stream as one event
	body      bytes.Buffer // of a framed answer
	ended     bool         // the handler has returned
}

// wait sets the time of the next comment.
func (k *keepAlive) wait() {
	if k.timer == nil {
		k.timer = time.AfterFunc(k.interval, k.comment)
		return
	}
	k.timer.Reset(k.interval)
}

// comment sends a comment, unless it would be in the middle of something.
func (k *keepAlive) comment() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended || k.answered && !k.isStream {
		return
	}
	if !k.isStream {
		k.isStream = true
		header := k.w.Header()
		header.Set("Content-Type", eventStream)
		header.Set("Cache-Control", "no-cache, no-transform")
		header.Set(unbuffered, "no")
		k.w.WriteHeader(http.StatusOK)
	}
	if !k.isInEvent {
		_, err := io.WriteString(k.w, ": keep-alive\n\n")
		if err != nil || http.NewResponseController(k.w).Flush() != nil {
			return // the client is gone
		}
	}
	k.wait()
}

// end waits for a comment that is being sent, lets no other begin, and sends a
// framed answer. What is not JSON has no place in the stream, which then ends
// without an answer.
func (k *keepAlive) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	if k.timer != nil {
		k.timer.Stop()
	}
	if !k.isFramed {
		return
	}
	event := bytes.NewBufferString("event: message\ndata: ")
	if json.Compact(event, k.body.Bytes()) == nil {
		event.WriteString("\n\n")
		_, _ = k.w.Write(event.Bytes()) // the client may be gone
	}
}

// Header implements [http.ResponseWriter].
func (k *keepAlive) Header() http.Header { return k.header }

// takeHeader copies the header that the handler has set so far. A comment can't
// read it, because the handler may be changing it.
func (k *keepAlive) takeHeader() {
	if !k.isStream {
		header := k.w.Header()
		clear(header)
		maps.Copy(header, k.header)
	}
}

// WriteHeader implements [http.ResponseWriter].
func (k *keepAlive) WriteHeader(status int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answer(status)
}

// answer begins the handler's answer. SDKs send no informational status.
func (k *keepAlive) answer(status int) {
	if k.answered || status < http.StatusOK {
		return
	}
	k.takeHeader()
	k.answered = true
	isStream := strings.HasPrefix(k.header.Get("Content-Type"), eventStream)
	if k.isStream {
		k.isFramed = !isStream
		return
	}
	if k.isStream = isStream; isStream {
		k.w.Header().Set(unbuffered, "no")
	}
	k.w.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (k *keepAlive) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answer(http.StatusOK)
	if k.isFramed {
		return k.body.Write(p)
	}
	if k.isStream {
		k.isInEvent = !bytes.HasSuffix(p, []byte("\n\n"))
		k.wait()
	}
	return k.w.Write(p)
}

// Flush implements [http.Flusher]. SDKs do not stream to a writer without it.
func (k *keepAlive) Flush() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answer(http.StatusOK)
	_ = http.NewResponseController(k.w).Flush() // the client may be gone
}

// Unwrap is for [http.ResponseController].
func (k *keepAlive) Unwrap() http.ResponseWriter { return k.w }

// Read implements [io.Reader]. An SDK has read the request's body before it
// begins a call, but after it has set headers of its own, such as those of CORS.
func (k *keepAlive) Read(p []byte) (int, error) {
	n, err := k.ReadCloser.Read(p)
	if err != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.takeHeader()
	}
	return n, err
}
