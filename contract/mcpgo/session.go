package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/server"
)

// sessionBegan and sessionEnded follow the sessions that can have tools of
// their own, for Verify to look at: mcp-go does not list them.
func (b *binding) sessionBegan(_ context.Context, session server.ClientSession) {
	if with, ok := session.(server.SessionWithTools); ok {
		b.sessions.Store(with.SessionID(), with)
	}
}

func (b *binding) sessionEnded(_ context.Context, session server.ClientSession) {
	b.sessions.Delete(session.SessionID())
	b.claimed.release(session.SessionID())
}
