package direct

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A Session implements [stdio.Shortcut] for one stdio session.
type Session struct {
	calls calls
	ctx   context.Context //nolint:containedctx // that of the session, which outlives each call
}

// NewSession returns a session. Call Begin before its first line.
func NewSession(s Server) *Session { return &Session{calls: calls{server: s}} }

// Begin sets the session's context, which must carry the server, as the
// contexts of HandleMessage do.
func (s *Session) Begin(ctx context.Context) { s.ctx = ctx }

// Take implements [stdio.Shortcut].
func (s *Session) Take(line []byte) (answer func() []byte) {
	if !s.calls.server.Privacy.Holds() {
		return nil
	}
	sent, ok := readCall(line)
	if !ok {
		return nil
	}
	e := s.calls.server.Entry(sent.name)
	if e == nil || e.IsAlias() || e.HasRounds() {
		return nil
	}
	var meta *mcp.Meta
	if sent.meta != nil && json.Unmarshal(sent.meta, &meta) != nil {
		return nil
	}
	info, ok := protocolInfo(meta)
	if !ok {
		return nil
	}
	c := &call{toolCall: sent, calls: &s.calls, entry: e, meta: meta, info: info}
	c.ctx, c.cancel = context.WithCancel(server.WithRequestProtocolInfo(s.ctx, info))
	s.calls.add(c)
	return c.answer
}

// Cancel implements [stdio.Shortcut].
func (s *Session) Cancel(line []byte) {
	var message struct {
		JSONRPC string        `json:"jsonrpc"`
		Method  mcp.MCPMethod `json:"method"`
		ID      any           `json:"id,omitempty"`
		Result  any           `json:"result,omitempty"`
	}
	var n mcp.JSONRPCNotification
	if json.Unmarshal(line, &message) != nil || message.JSONRPC != mcp.JSONRPC_VERSION || json.Unmarshal(line, &n) != nil {
		return
	}
	if id, ok := n.Params.AdditionalFields["requestId"]; ok {
		s.calls.cancel(id)
	}
}
