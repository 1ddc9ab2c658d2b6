package gosdk

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// This file finds the HTTP request that a call of the older versions came with.
// Only the request's header reaches the SDK's middleware: a session's context
// is that of its first request.
//
// It ends the context of a call when its client closes the connection. The SDK
// does so only in 2026-07-28. An answer that is not stored could not be
// delivered any more, and a write goes on anyway, unless its contract is
// Cancellable.

// requestHeader names a request for the middleware. A client's own is replaced.
const requestHeader = "Toolcontract-Request"

// An openRequest waits for an answer.
type openRequest struct {
	ctx     context.Context //nolint:containedctx // see the top of the file
	hangsUp bool            // a client that closes the connection gets no answer
}

// openRequests has the openRequest of each value of requestHeader.
var openRequests sync.Map

// announce names a request until ended is called.
func announce(r *http.Request, hangsUp bool) (ended func()) {
	name := rand.Text()
	r.Header.Set(requestHeader, name)
	openRequests.Store(name, openRequest{r.Context(), hangsUp})
	return func() { openRequests.Delete(name) }
}

// requestOf returns the request of a call. The zero value means that it was not
// announced.
func requestOf(extra *mcp.RequestExtra) openRequest {
	if extra == nil {
		return openRequest{}
	}
	open, _ := openRequests.Load(extra.Header.Get(requestHeader))
	request, _ := open.(openRequest)
	return request
}

// untilHangUp returns a context that ends when the client closes the connection
// of a request that was announced. The caller calls release after the call.
func untilHangUp(ctx context.Context, extra *mcp.RequestExtra) (_ context.Context, release func()) {
	open := requestOf(extra)
	if !open.hangsUp {
		return ctx, func() {}
	}
	until, end := context.WithCancel(ctx)
	stop := context.AfterFunc(open.ctx, end)
	return until, func() {
		stop()
		end()
	}
}
