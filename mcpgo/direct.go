package mcpgo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/mcpgo/internal/stdio"
)

// A direct answers calls of the stdio session without mcp-go's HandleMessage,
// which reads a message four times. A call is taken only if HandleMessage would
// add nothing:
//
//   - The server is private, so it has no hooks, middlewares or filters; see
//     private.go.
//   - mcp-go would read the same call from its line; see [stdio.ReadCall].
//   - The tool is called by its listed name.
//   - The tool asks the client for no inputs in rounds, because mcp-go sends
//     these requests.
type direct struct {
	binding *binding
	session context.Context // of the session, with the server; begin sets it before the first line

	mu   sync.Mutex
	open []*directCall // in the order of their lines
}

// A directCall is one tools/call.
type directCall struct {
	stdio.Call

	of     *direct
	entry  *entry
	meta   *mcp.Meta
	info   *server.RequestProtocolInfo
	ctx    context.Context
	cancel context.CancelFunc
}

// begin sets the context of the session.
func (d *direct) begin(ctx context.Context) { d.session = withServer(ctx, d.binding.server) }

// take returns a function that answers a line as HandleMessage does. It returns
// nil for a line that mcp-go must read.
func (d *direct) take(line []byte) (answer func() []byte) {
	if !d.binding.private.Load() {
		return nil
	}
	read, ok := stdio.ReadCall(line)
	if !ok {
		return nil
	}
	e := d.binding.now().entries[read.Name]
	if e == nil || e.IsAlias() || e.HasRounds() {
		return nil
	}
	var meta *mcp.Meta
	if read.Meta != nil && json.Unmarshal(read.Meta, &meta) != nil {
		return nil
	}
	info, ok := protocolInfo(meta)
	if !ok {
		return nil
	}
	c := &directCall{Call: read, of: d, entry: e, meta: meta, info: info}
	c.ctx, c.cancel = context.WithCancel(server.WithRequestProtocolInfo(d.session, info))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = append(d.open, c)
	return c.answer
}

// cancelled ends the context of the call that a notification names. As in
// mcp-go, ids are compared as texts, and the last of calls with equal ids ends.
func (d *direct) cancelled(line []byte) {
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
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range slices.Backward(d.open) {
		if fmt.Sprint(c.IDValue()) == fmt.Sprint(id) {
			c.cancel()
			return
		}
	}
}

func (c *directCall) end() {
	c.cancel()
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.open = slices.DeleteFunc(c.of.open, func(other *directCall) bool { return other == c })
}

// answer runs the call.
func (c *directCall) answer() (answer []byte) {
	defer c.end()
	var err error
	defer func() {
		if err != nil {
			answer = brokenCall(c.IDValue(), err)
		}
	}()
	defer contain.Recover(&err)
	answer, err = c.run()
	return answer
}

func (c *directCall) run() ([]byte, error) {
	b := c.of.binding
	ctx := b.withCaller(c.ctx, http.Header{}) // as mcp-go has it without HTTP
	applyProtocolInfo(server.ClientSessionFromContext(ctx), c.info)
	result, err := b.run(ctx, b.server, c.entry, adapter.Request{Arguments: c.Arguments, Meta: sentMeta(c.meta)},
		mcp.MultiRoundTripParams{})
	if err != nil {
		return json.Marshal(mcp.NewJSONRPCError(mcp.NewRequestId(c.IDValue()), mcp.INTERNAL_ERROR, err.Error(), nil))
	}
	if c.info.Modern {
		return json.Marshal(mcp.NewJSONRPCResultResponse(mcp.NewRequestId(c.IDValue()), b.modernResult(result)))
	}
	return writeResponse(c.ID, result)
}

// writeResponse writes the response to a client older than 2026-07-28, in the
// same bytes as mcp-go.
func writeResponse(id json.RawMessage, result *adapter.CallResult) ([]byte, error) {
	const begin, middle, end = `{"jsonrpc":"2.0","id":`, `,"result":`, "}"
	written, err := result.MarshalJSON()
	if err != nil {
		return nil, err
	}
	response := make([]byte, 0, len(begin)+len(id)+len(middle)+len(written)+len(end)+1) // with room for a line break
	response = append(append(append(response, begin...), id...), middle...)
	return append(append(response, written...), end...), nil
}
