package verify

import (
	"cmp"
	"net/http"

	"github.com/toolcontract/toolcontract/contract/verify/internal/witness"
)

// A Transport records the HTTP requests of a handler and sends them on. Give it
// to the client of the handler, and to [WithTransport]. The zero value is ready
// for use. It is safe for concurrent use.
type Transport struct {
	// Base sends the requests. Nil means [http.DefaultTransport].
	Base http.RoundTripper

	seen witness.Requests
}

// RoundTrip records the method and the host of a request, and sends it.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	t.seen.Record(request)
	return cmp.Or(t.Base, http.DefaultTransport).RoundTrip(request)
}
