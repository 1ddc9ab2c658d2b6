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
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// A Server has what a [Session] needs from the server. All fields are required.
type Server struct {
	// Info is the serverInfo in results of protocol version 2026-07-28.
	Info mcp.Implementation
	// Privacy ends when mcp-go must answer all calls.
	Privacy *unexported.Privacy
	// Entry returns the entry with a name, or nil if there is none.
	Entry func(name string) *adapter.Entry
	// Run runs a call in the context of its session.
	Run func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error)
}

// calls are the calls that a session has taken but not yet answered.
type calls struct {
	server Server

	mu   sync.Mutex
	open []*call // in the order of their lines
}

func (s *calls) add(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, c)
}

func (s *calls) remove(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(other *call) bool { return other == c })
}

// cancel ends the context of the call with an id. As in mcp-go, IDs are
// compared as texts, and if several calls share an ID, the last one ends.
func (s *calls) cancel(id any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range slices.Backward(s.open) {
		if fmt.Sprint(c.idValue()) == fmt.Sprint(id) {
			c.cancel()
			return
		}
	}
}

// A call is one tools/call that a session has taken.
type call struct {
	toolCall

	calls  *calls
	entry  *adapter.Entry
	meta   *mcp.Meta
	info   *server.RequestProtocolInfo
	ctx    context.Context //nolint:containedctx // calls.cancel ends it
	cancel context.CancelFunc
}

// answer runs the call and returns its response.
func (c *call) answer() (response []byte) {
	defer c.calls.remove(c)
	defer c.cancel()
	var err error
	defer func() {
		if err != nil {
			response = native.Failure(c.idValue(), err)
		}
	}()
	defer contain.Recover(&err)
	response, err = c.run()
	return response
}

func (c *call) run() ([]byte, error) {
	applyProtocolInfo(server.ClientSessionFromContext(c.ctx), c.info)
	result, err := c.calls.server.Run(c.ctx, c.entry, adapter.Request{Arguments: c.arguments, Meta: native.Meta(c.meta)})
	if err != nil {
		failed := native.ErrorDetails(err, c.info.Modern)
		return json.Marshal(mcp.NewJSONRPCError(mcp.NewRequestId(c.idValue()), failed.Code, failed.Message, failed.Data))
	}
	if c.info.Modern {
		return json.Marshal(mcp.NewJSONRPCResultResponse(mcp.NewRequestId(c.idValue()), modernResult(result, c.calls.server.Info)))
	}
	return writeResponse(c.id, result)
}

// writeResponse returns the response to a client of a version before
// 2026-07-28, in the same bytes as mcp-go.
func writeResponse(id json.RawMessage, result *adapter.CallResult) ([]byte, error) {
	const begin, middle, end = `{"jsonrpc":"2.0","id":`, `,"result":`, "}"
	body, err := result.MarshalJSON()
	if err != nil {
		return nil, err
	}
	response := make([]byte, 0, len(begin)+len(id)+len(middle)+len(body)+len(end)+1) // with room for a line break
	response = append(append(append(response, begin...), id...), middle...)
	return append(append(response, body...), end...), nil
}
