package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/toolcontract/toolcontract/internal/contain"
)

// InProcess returns a transport to the streamable HTTP handler of a server in
// this process, such as that of mcpgo.NewHandler. It needs no network. The
// context of a call has the values of the client's own.
func InProcess(h http.Handler) Transport { return inProcess{h} }

type inProcess struct{ handler http.Handler }

// Connect implements [Transport].
func (t inProcess) Connect(ctx context.Context, receive func(json.RawMessage)) (Conn, error) {
	if t.handler == nil {
		return nil, errors.New("client: the handler of InProcess is nil; pass that of the server")
	}
	return HTTP{URL: "http://localhost/mcp", Client: &http.Client{Transport: t}}.Connect(ctx, receive)
}

// RoundTrip implements [http.RoundTripper]. The handler runs until it returns,
// also if its response is not read to the end: then its writes fail.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	body := r.Body
	if body == nil {
		body = http.NoBody
	}
	ctx, cancel := context.WithCancel(r.Context())
	request := r.Clone(ctx)
	request.Body = body
	request.RequestURI = r.URL.RequestURI()
	request.RemoteAddr = "127.0.0.1:0"
	if request.Host == "" {
		request.Host = r.URL.Host
	}
	in, out := io.Pipe()
	w := &pipedResponse{
		header: http.Header{}, out: out, begun: make(chan struct{}),
		response: &http.Response{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: -1},
	}
	w.response.Body = endingBody{in, cancel}
	go func() {
		defer cancel()
		if contain.Do(func() { t.handler.ServeHTTP(w, request) }) != nil {
			_ = out.CloseWithError(io.ErrUnexpectedEOF) // as a server closes the connection
		}
		w.WriteHeader(http.StatusOK)
		_ = out.Close()
	}()
	select {
	case <-w.begun:
		return w.response, nil
	case <-ctx.Done():
		if r.Context().Err() == nil { // the handler has returned
			<-w.begun
			return w.response, nil
		}
		_ = in.Close()
		return nil, r.Context().Err()
	}
}

// An endingBody ends the request when it is closed.
type endingBody struct {
	io.ReadCloser
	end context.CancelFunc
}

func (b endingBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

// A pipedResponse passes a response on while it is written.
type pipedResponse struct {
	header   http.Header
	out      *io.PipeWriter
	response *http.Response
	once     sync.Once
	begun    chan struct{}
}

// Header implements [http.ResponseWriter].
func (w *pipedResponse) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *pipedResponse) WriteHeader(status int) {
	w.once.Do(func() {
		w.response.StatusCode = status
		w.response.Status = http.StatusText(status)
		w.response.Header = w.header.Clone()
		close(w.begun)
	})
}

// Write implements [http.ResponseWriter].
func (w *pipedResponse) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(p)
}

// Flush implements [http.Flusher]. Nothing is buffered.
func (w *pipedResponse) Flush() { w.WriteHeader(http.StatusOK) }
