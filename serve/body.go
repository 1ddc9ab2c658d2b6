package serve

import (
	"io"
	"net/http"
	"time"
)

// A timedBody clears a connection's deadline as soon as the body is read.
// Otherwise net/http would end the request's context when the deadline passes,
// even while the handler is running. After an error the deadline stays, because
// net/http then reads the rest of the body itself.
type timedBody struct {
	io.ReadCloser
	read func()
}

func (b timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.read()
	}
	return n, err
}

func (b timedBody) Close() error {
	err := b.ReadCloser.Close()
	if err == nil {
		b.read()
	}
	return err
}

// withBodyTimeout bounds how long a client may take to send a body. http.Server
// has only ReadTimeout for that, which would also end streams.
func withBodyTimeout(next http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			connection := http.NewResponseController(w)
			_ = connection.SetReadDeadline(time.Now().Add(limit)) // every connection of http.Server has one
			r.Body = timedBody{r.Body, func() { _ = connection.SetReadDeadline(time.Time{}) }}
		}
		next.ServeHTTP(w, r)
	})
}
