package adapter

import (
	"errors"
	"io"
	"net/http"

	"github.com/toolcontract/toolcontract/internal/bound"
)

// tooLargeBody is a JSON-RPC 2.0 error. Its id is null, because the body was
// not read.
const tooLargeBody = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"request body too large"}}` + "\n"

// drainBytes is how much of a refused body beyond the limit is read and dropped
// before the answer. Otherwise a client that is still sending would see a
// connection reset.
const drainBytes = 8 << 20

// LimitHandler bounds the body of a POST request to h, the HTTP handler of an
// SDK. A larger body gets status 413 and a JSON-RPC error and does not reach h.
// A body up to 8 MiB beyond the limit is read to its end and dropped, so that a
// client that sends everything before it reads gets that answer. With a larger
// body, the client may see only a closed connection.
//
// Nothing else changes: the response writer and other methods are passed on as
// they are. To bound how long a body may take, set http.Server.ReadTimeout.
//
// maxBytes is in bytes. Zero or less means 4 MiB, the default of a contract,
// plus 64 KiB for the rest of the message. A tool that declares larger
// arguments needs a larger limit here.
func LimitHandler(h http.Handler, maxBytes int64) http.Handler {
	if maxBytes <= 0 {
		maxBytes = bound.DefaultArgumentBytes + envelopeBytes
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Body == nil {
			h.ServeHTTP(w, r)
			return
		}
		if beyond := r.ContentLength - maxBytes; beyond > 0 {
			// A client that sent Expect waits, and a read would ask for the
			// body.
			if beyond <= drainBytes && r.Header.Get("Expect") == "" {
				drop(r.Body, r.ContentLength)
			}
			refuseBody(w)
			return
		}
		body := http.MaxBytesReader(w, r.Body, maxBytes)
		data, err := io.ReadAll(body)
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			drop(r.Body, drainBytes)
			refuseBody(w)
			return
		}
		if err == nil {
			err = io.EOF
		}
		// h also handles a body that broke off, because it gets the same error.
		read := r.WithContext(r.Context())
		read.Body = &bufferedBody{r.Body, data, err}
		h.ServeHTTP(w, read)
	})
}

// drop reads at most n bytes of a refused body.
func drop(body io.Reader, n int64) {
	_, _ = io.CopyN(io.Discard, body, n) // the client may be gone
}

func refuseBody(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusRequestEntityTooLarge)
	_, _ = io.WriteString(w, tooLargeBody) // the client may be gone
}

// A bufferedBody is a body that has been read already. Closing it closes the
// original body.
type bufferedBody struct {
	io.Closer

	data []byte // not yet read again
	err  error  // the error that ended the body; io.EOF at its end
}

// Read implements [io.Reader].
func (b *bufferedBody) Read(p []byte) (int, error) {
	if len(b.data) == 0 {
		return 0, b.err
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}
