package mcpgo

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/toolcontract/toolcontract/contract"
)

// tooLargeBody is a JSON-RPC 2.0 error without an id, for the body was not read.
const tooLargeBody = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"request body too large"}}` + "\n"

// drainBytes is how far beyond the limit a refused body is read, and dropped,
// before the answer: a client that still sends would see a reset connection.
const drainBytes = 8 << 20

// LimitHandler bounds the body of a POST request to h, mcp-go's HTTP handler,
// which reads and decodes bodies of any size. A larger one is answered with
// status 413 and a JSON-RPC error, and does not reach h. One of up to 8 MiB
// beyond the limit is read to its end and dropped, so that a client that sends
// first and reads then gets that answer; with a larger one it may see only a
// connection that was closed.
// How long a body may take is http.Server.ReadTimeout's to say. Nothing else
// changes: the response writer and other methods are passed on as they are.
//
// maxBytes is in bytes; zero or less means [contract.DefaultMaxArgumentBytes]
// and 64 KiB for the rest of the message. A tool that declares larger arguments
// needs a larger limit here.
func LimitHandler(h http.Handler, maxBytes int64) http.Handler {
	if maxBytes <= 0 {
		maxBytes = contract.DefaultMaxArgumentBytes + envelopeBytes
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Body == nil {
			h.ServeHTTP(w, r)
			return
		}
		if beyond := r.ContentLength - maxBytes; beyond > 0 {
			// To read would be to ask for a body that waits to be asked for.
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
		// A body that broke off is h's to answer: it gets the same error.
		read := r.WithContext(r.Context())
		read.Body = bufferedBody{io.MultiReader(bytes.NewReader(data), failing{err}), r.Body}
		h.ServeHTTP(w, read)
	})
}

// drop reads at most n bytes of a body that is refused.
func drop(body io.Reader, n int64) {
	_, _ = io.CopyN(io.Discard, body, n) // the client may be gone
}

func refuseBody(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusRequestEntityTooLarge)
	_, _ = io.WriteString(w, tooLargeBody) // the client may be gone
}

// A bufferedBody is a body that was read already; closing it closes the
// connection's.
type bufferedBody struct {
	io.Reader
	io.Closer
}

// A failing reader ends with the error that ended another: nil means its end.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
