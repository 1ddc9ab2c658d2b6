package adapter

import (
	"context"
	"log/slog"
)

// warnOfMemory warns, at the first request over HTTP, about tools whose
// outcomes are recorded in memory only, because clients over HTTP outlive the
// server.
func (t *Table) warnOfMemory(ctx context.Context) {
	if c, _ := CallerFrom(ctx); len(c.Header) == 0 {
		return
	}
	t.overHTTP.Do(func() {
		if tools := t.operations.Volatile(); len(tools) > 0 {
			slog.WarnContext(ctx, "toolcontract: the outcomes of calls are recorded only in the memory of this process: "+
				"after a restart, or on another replica, these tools can run twice for one key; pass guard.WithStore to guard.New", "tools",
				tools)
		}
	})
}
