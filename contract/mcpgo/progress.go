package mcpgo

import (
	"context"
	"math"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// methodProgress is the notification of the protocol's progress utility.
const methodProgress = "notifications/progress"

// progressTo returns how to report to the caller of ctx, nil where it sent no
// progressToken. Where the client is too slow a notification is dropped.
func progressTo(ctx context.Context, meta *mcp.Meta) func(done, total float64, note string) {
	srv := server.ServerFromContext(ctx)
	if srv == nil || meta == nil || meta.ProgressToken == nil {
		return nil
	}
	return func(done, total float64, note string) {
		if !isFinite(done) || !isFinite(total) {
			return // JSON cannot say it
		}
		params := map[string]any{"progressToken": meta.ProgressToken, "progress": done}
		if total != 0 {
			params["total"] = total
		}
		if note != "" {
			params["message"] = note
		}
		_ = srv.SendNotificationToClient(ctx, methodProgress, params) // progress is best effort
	}
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
