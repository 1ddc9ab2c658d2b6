package direct

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
)

// A call is one tools/call that a session took.
type call struct {
	toolCall

	session *Session
	entry   *adapter.Entry
	meta    *mcp.Meta
	info    *server.RequestProtocolInfo
	ctx     context.Context //nolint:containedctx // Cancel of the session ends it
	cancel  context.CancelFunc
}

// answer runs the call and returns its response.
func (c *call) answer() (response []byte) {
	defer c.session.remove(c)
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
	result, err := c.session.server.Run(c.ctx, c.entry, adapter.Request{Arguments: c.arguments, Meta: native.Meta(c.meta)})
	if err != nil {
		return json.Marshal(mcp.NewJSONRPCError(mcp.NewRequestId(c.idValue()), mcp.INTERNAL_ERROR, err.Error(), nil))
	}
	if c.info.Modern {
		return json.Marshal(mcp.NewJSONRPCResultResponse(mcp.NewRequestId(c.idValue()), modernResult(result, c.session.server.Info)))
	}
	return writeResponse(c.id, result)
}

// writeResponse writes the response to a client older than 2026-07-28, in the
// same bytes as mcp-go.
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
