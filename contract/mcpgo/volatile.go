package mcpgo

import (
	"context"
	"log/slog"
	"net/http"
)

// requested hands a request's header to the guard's principal function. The
// first one over HTTP is when a server learns that its clients outlive it, and
// says which tools that concerns.
func (s *seam) requested(ctx context.Context, h http.Header) context.Context {
	if len(h) > 0 {
		s.overHTTP.Do(func() {
			if tools := s.set.Volatile(); len(tools) > 0 {
				slog.WarnContext(ctx, "toolcontract: the outcomes of calls are recorded in this process's memory alone: "+
					"after a restart, or on another replica, these tools can run twice for one key; give guard.New a WithStore", "tools", tools)
			}
		})
	}
	return withHeader(ctx, h)
}
