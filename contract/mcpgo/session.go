package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/server"
)

// sessionBegan and sessionEnded follow the sessions that can have tools of
// their own, for Verify to look at: mcp-go does not list them.
func (s *seam) sessionBegan(_ context.Context, session server.ClientSession) {
	if with, ok := session.(server.SessionWithTools); ok {
		s.sessions.Store(with.SessionID(), with)
	}
}

func (s *seam) sessionEnded(_ context.Context, session server.ClientSession) {
	s.sessions.Delete(session.SessionID())
	s.claimed.release(session.SessionID())
}
