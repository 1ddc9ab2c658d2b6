package direct

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// A Server has what a [Session] needs of the server. All fields are required.
type Server struct {
	// Info is the serverInfo of results of protocol version 2026-07-28.
	Info mcp.Implementation
	// Privacy ends when mcp-go must answer all calls.
	Privacy *unexported.Privacy
	// Entry returns the entry of a name, nil if there is none.
	Entry func(name string) *adapter.Entry
	// Run runs a call in the context of its session.
	Run func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error)
}

// A Session implements [stdio.Shortcut] for one session over stdio.
type Session struct {
	server Server
	ctx    context.Context //nolint:containedctx // that of the session, which outlives each call

	mu   sync.Mutex
	open []*call // in the order of their lines
}

// NewSession returns a session. Call Begin before its first line.
func NewSession(s Server) *Session { return &Session{server: s} }

// Begin sets the context of the session, which has the server, as contexts of
// HandleMessage have.
func (s *Session) Begin(ctx context.Context) { s.ctx = ctx }

// Take implements [stdio.Shortcut].
func (s *Session) Take(line []byte) (answer func() []byte) {
	if !s.server.Privacy.Holds() {
		return nil
	}
	sent, ok := readCall(line)
	if !ok {
		return nil
	}
	e := s.server.Entry(sent.name)
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
	c := &call{toolCall: sent, session: s, entry: e, meta: meta, info: info}
	c.ctx, c.cancel = context.WithCancel(server.WithRequestProtocolInfo(s.ctx, info))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, c)
	return c.answer
}

// Cancel implements [stdio.Shortcut]. It ends the context of the call that the
// notification names. As in mcp-go, ids are compared as texts, and the last of
// the calls with equal ids ends.
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
	id, ok := n.Params.AdditionalFields["requestId"]
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range slices.Backward(s.open) {
		if fmt.Sprint(c.idValue()) == fmt.Sprint(id) {
			c.cancel()
			return
		}
	}
}

// remove forgets a call that has ended.
func (s *Session) remove(ended *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(c *call) bool { return c == ended })
}
