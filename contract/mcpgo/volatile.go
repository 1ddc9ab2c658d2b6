package mcpgo

import (
	"context"
	"log/slog"
	"net/http"
)

// requested passes a request's header to the guard's principal function. At the
// first request over HTTP it warns about tools whose outcomes are recorded in
// memory only, because clients over HTTP outlive the server.
func (b *binding) requested(ctx context.Context, h http.Header) context.Context {
	if len(h) > 0 {
		b.overHTTP.Do(func() {
			if tools := b.now().set.Adapter().Volatile(); len(tools) > 0 {
				slog.WarnContext(ctx, "toolcontract: the outcomes of calls are recorded only in the memory of this process: "+
					"after a restart, or on another replica, these tools can run twice for one key; pass guard.WithStore to guard.New", "tools", tools)
			}
		})
	}
	return withHeader(ctx, h)
}
