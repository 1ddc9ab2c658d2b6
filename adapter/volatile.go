package adapter

import (
	"context"
	"log/slog"
)

// warnOfMemory logs a warning at the first HTTP request about tools whose
// outcomes are recorded only in memory, because HTTP clients outlive the
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
