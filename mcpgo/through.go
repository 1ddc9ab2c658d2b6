package mcpgo

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
	"github.com/toolcontract/toolcontract/mcpgo/internal/stdio"
)

// A through implements [stdio.Shortcut] for every tools/call. It answers them
// with mcp-go's HandleMessage, but without the queue and the workers of
// mcp-go's stdio server. [direct.Session] answers most calls past
// HandleMessage.
type through struct {
	server *server.MCPServer
	ctx    context.Context //nolint:containedctx // that of the session, set before its first line
}

// Take implements [stdio.Shortcut].
func (t *through) Take(line []byte) func() []byte {
	if !stdio.IsCall(line) {
		return nil
	}
	return func() []byte { return t.answer(line) }
}

// Cancel implements [stdio.Shortcut]. HandleMessage itself ends the call when
// it gets the notification.
func (*through) Cancel([]byte) {}

func (t *through) answer(line []byte) (response []byte) {
	var err error
	defer func() {
		if err != nil {
			var call struct {
				ID any `json:"id"`
			}
			_ = json.Unmarshal(line, &call) // it was read before
			response = native.Failure(call.ID, err)
		}
	}()
	defer contain.Recover(&err)
	response, err = json.Marshal(t.server.HandleMessage(t.ctx, line))
	return response
}
