package mcpgo

import (
	"context"
	"math"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// methodProgress is the notification of progress.
const methodProgress = "notifications/progress"

// progressTo returns a function that reports progress to the caller of ctx, nil
// if it sent no progressToken. A notification is dropped if the client is too
// slow.
func progressTo(ctx context.Context, meta *mcp.Meta) func(done, total float64, note string) {
	srv := server.ServerFromContext(ctx)
	if srv == nil || meta == nil || meta.ProgressToken == nil {
		return nil
	}
	return func(done, total float64, note string) {
		if !isFinite(done) || !isFinite(total) {
			return // JSON has no such number
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
