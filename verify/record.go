package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"log"
	"net/http"
	"sync"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// A Transport records a handler's HTTP requests and sends them on. Give it to
// the handler's client, and to [WithTransport]. The zero value is ready to use.
// It is safe for concurrent use.
type Transport struct {
	// Base sends the requests. Nil: [http.DefaultTransport].
	Base http.RoundTripper

	seen witness.Requests
}

// RoundTrip records the method and host of a request, and sends it.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	t.seen.Record(request)
	return cmp.Or(t.Base, http.DefaultTransport).RoundTrip(request)
}

// A Log collects what a handler logs, for [WithLog]:
//
//	var log verify.Log
//	server.Logger = slog.New(slog.NewTextHandler(&log, nil))
//
// The zero value is an empty log. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	written bytes.Buffer
}

// Write appends p to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.Write(p)
}

// text returns everything written so far.
func (l *Log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.String()
}

// standard collects what f writes to the standard logger. Only a child process
// may do so, because it runs just one test.
func (l *Log) standard(f func()) {
	was := log.Writer()
	log.SetOutput(l)
	defer log.SetOutput(was)
	f()
}

func encodedJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}
