package gosdk

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// This file ends the context of a call when its client closes the connection,
// in the older versions over HTTP. The SDK does so only in 2026-07-28, and only
// the header of a request reaches its middleware. An answer that is not stored
// could not be delivered any more, and a write goes on anyway, unless its
// contract is Cancellable.

// requestHeader names a request for the middleware. A client's own is replaced.
const requestHeader = "Toolcontract-Request"

// openRequests are the requests that wait for an answer.
var openRequests sync.Map // of the value of requestHeader to context.Context

// announce names a request until ended is called.
func announce(r *http.Request) (ended func()) {
	name := rand.Text()
	r.Header.Set(requestHeader, name)
	openRequests.Store(name, r.Context())
	return func() { openRequests.Delete(name) }
}

// untilHangUp returns a context that ends when the client closes the connection
// of a request that was announced. The caller calls release after the call.
func untilHangUp(ctx context.Context, extra *mcp.RequestExtra) (_ context.Context, release func()) {
	if extra == nil {
		return ctx, func() {}
	}
	open, ok := openRequests.Load(extra.Header.Get(requestHeader))
	if !ok {
		return ctx, func() {}
	}
	until, end := context.WithCancel(ctx)
	stop := context.AfterFunc(open.(context.Context), end) //nolint:forcetypeassert // see announce
	return until, func() {
		stop()
		end()
	}
}
