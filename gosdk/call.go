package gosdk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// A call is one tools/call on its way through the middleware of this package.
type call struct {
	binding *binding
	table   *table
	req     *mcp.CallToolRequest // as the middleware received it
	next    mcp.MethodHandler    // what is below the middleware

	question *mcp.CallToolResult // set if only the middleware can ask it; see result
}

type callKey struct{}

// callFrom returns nil for a context outside a call.
func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// handler returns the handler of a name. It runs only calls that came through
// the middleware of its server, under that name.
func (b *binding) handler(name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := callFrom(ctx)
		if c == nil || c.binding != b || req.Params.Name != name || c.table.called[name] == nil {
			return nil, unknownTool(req.Params.Name)
		}
		return c.run(ctx, c.table.called[name], req)
	}
}

// run runs one call through the guard. req can differ from the request that
// this package's middleware received, because middleware below may have changed
// it.
func (c *call) run(ctx context.Context, r *registration, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx = context.WithValue(ctx, callKey{}, c)
	c.question = nil // middleware can call again
	token := req.Params.Meta["progressToken"]
	progress := newProgressSender(ctx, req.Session, token)
	defer progress.drain() // before the answer
	request := adapter.Request{
		Arguments: req.Params.Arguments,
		Meta:      req.Params.Meta,
		Client:    c.client(req),
		Progress:  progress.reporter(token),
		HTTP:      requestOf(req.Extra).ctx,
		Isolate:   true, // Goexit would hang the session's Close, and a panic ends the process (internal/jsonrpc2/conn.go:656)
	}
	answer, err := c.table.Call(ctx, r.entry, request)
	if errors.Is(err, guard.ErrUnknownTool) {
		return nil, unknownTool(req.Params.Name)
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, wire
	}
	if own, ok := errors.AsType[*adapter.RPCError](err); ok {
		return nil, &jsonrpc.Error{Code: own.Code, Message: own.Message, Data: own.Data}
	}
	if err != nil {
		return nil, internalError(err)
	}
	result, err := c.result(r, req, answer)
	if err != nil {
		return nil, internalError(err)
	}
	return result, nil
}

// The SDK has no exported way to set a resultType, so these are decoded.
var (
	typeComplete      = json.RawMessage(`{"content":[],"resultType":"complete"}`)
	typeInputRequired = json.RawMessage(`{"content":[],"resultType":"input_required"}`)
)

// withType returns a copy of r with the resultType of a result in JSON.
func withType(r *mcp.CallToolResult, of json.RawMessage) (*mcp.CallToolResult, error) {
	typed := &mcp.CallToolResult{}
	if err := json.Unmarshal(of, typed); err != nil {
		return nil, err
	}
	typed.Meta = r.Meta
	typed.Content = r.Content
	typed.StructuredContent = r.StructuredContent
	typed.IsError = r.IsError
	typed.InputRequests = r.InputRequests
	typed.RequestState = r.RequestState
	return typed, nil
}

// result returns an answer as the SDK's result. The SDK sets resultType after
// the handler, by the version that the client requested in initialize or in its
// first request (mcp/mrtr.go:65). Two results need it set here: that of an
// adopted tool, which does not pass that code, and that of a 2026-07-28 request
// in an older client's session. In such a session the SDK would also ask the
// client itself, so the question is kept for the middleware, which runs outside
// that code.
func (c *call) result(r *registration, req *mcp.CallToolRequest, a *adapter.CallResult) (*mcp.CallToolResult, error) {
	result := &mcp.CallToolResult{Meta: a.Meta, IsError: a.IsError, Content: []mcp.Content{}} // a nil content is written as null
	for _, item := range a.Content {
		result.Content = append(result.Content, wireContent(item))
	}
	if a.Structured != nil { // a nil json.RawMessage in an interface is not nil
		result.StructuredContent = a.Structured
	}
	modern := isModern(req.Params.Meta)
	old := isOldSession(req.Session)
	if a.Requests == nil {
		if modern && (old || r.adopted) {
			return withType(result, typeComplete)
		}
		return result, nil
	}
	if err := json.Unmarshal(a.Requests, &result.InputRequests); err != nil {
		return nil, errRequests
	}
	result.RequestState = a.State
	if !old && !r.adopted {
		return result, nil
	}
	question, err := withType(result, typeInputRequired)
	if err != nil || r.adopted {
		return question, err
	}
	c.question = question
	return &mcp.CallToolResult{Meta: a.Meta, Content: []mcp.Content{}}, nil
}

// finish returns the question if one was kept, and result otherwise.
func (c *call) finish(result *mcp.CallToolResult) *mcp.CallToolResult {
	if c.question != nil {
		return c.question
	}
	return result
}

var errRequests = errors.New("gosdk: the requests of the handler are not those of the protocol")

// firstModern is the first version of the protocol without sessions.
const firstModern = "2026-07-28"

// isModern reports whether a request is of MCP 2026-07-28 or later: whether it
// has a version in its _meta.
func isModern(meta map[string]any) bool {
	version, _ := meta[mcp.MetaKeyProtocolVersion].(string)
	return version >= firstModern
}

// isOldSession reports whether the SDK takes the client for an older one.
func isOldSession(session *mcp.ServerSession) bool {
	params := session.InitializeParams()
	return params != nil && params.ProtocolVersion < firstModern
}
