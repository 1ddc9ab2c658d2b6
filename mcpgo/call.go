package mcpgo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
)

// Call implements [unexported.Caller]: it runs one tools/call that mcp-go
// passes on. The name in the request is that of the entry, or empty if a
// program calls the handler itself. Any other name, or another server, means
// that the handler was registered elsewhere, where the tool does not exist. The
// tool of a session does not exist in other sessions either.
func (e *entry) Call(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	b := e.owner
	header := req.Header
	if header == nil { // a program calls the handler itself, perhaps in a call
		c, _ := adapter.CallerFrom(ctx)
		header = c.Header
	}
	on := server.ServerFromContext(ctx)
	ctx = b.withCaller(session.WithoutAnswers(ctx), header)
	name := e.Name()
	isElsewhere := on != nil && on != b.server || b.parent != nil && session.ID(ctx) != b.sessionID
	if asked := req.Params.Name; asked != "" && asked != name || isElsewhere {
		asked = cmp.Or(asked, name)
		b.table().Unknown(ctx, asked)
		return nil, unknownTool(asked)
	}
	answer, err := b.run(ctx, on, e.Entry, adapter.Request{
		Arguments: native.Arguments(req.Params),
		Meta:      native.Meta(req.Params.Meta),
		Task:      req.Params.Task != nil,
	}, req.Params.MultiRoundTripParams)
	if err != nil {
		return nil, err
	}
	return native.Result(answer), nil
}

// withCaller returns a context for the functions of the server author that has
// the caller. They cannot reach a private server by it unnoticed.
func (b *binding) withCaller(ctx context.Context, h http.Header) context.Context {
	return session.WithCaller(b.privacy.Watch(ctx), h)
}

// run runs a request after it has added the client and the progress of the
// session of ctx. The server is nil if a program calls the handler itself.
func (b *binding) run(ctx context.Context, on *server.MCPServer, e *adapter.Entry, r adapter.Request,
	rounds mcp.MultiRoundTripParams) (*adapter.CallResult, error) {
	r.Client = b.client(ctx, on, rounds)
	r.Progress = progressTo(ctx, on, r.Meta)
	r.Isolate = !session.IsInProcess(ctx)
	answer, err := b.table().Call(ctx, e, r)
	if errors.Is(err, guard.ErrUnknownTool) {
		return nil, unknownTool(e.Name())
	}
	if err != nil {
		return nil, native.SDKError(err)
	}
	trace(ctx, e, answer.Outcome)
	return answer, nil
}

// progressTo returns a function that reports progress to the caller of ctx, or
// nil if the caller sent no progressToken. A notification is dropped if the
// client is too slow.
func progressTo(ctx context.Context, on *server.MCPServer, meta map[string]any) func(done, total float64, note string) {
	token := meta[native.ProgressToken]
	if on == nil || token == nil {
		return nil
	}
	return adapter.Progress(token, func(params map[string]any) {
		_ = on.SendNotificationToClient(ctx, adapter.MethodProgress, params) // progress is best effort
	})
}

// unknownTool returns an error with the text of mcp-go's own. It does not wrap
// mcp-go's error, because the error hook would audit the call a second time.
func unknownTool(name string) error {
	return fmt.Errorf("tool '%s' not found: %v", name, server.ErrToolNotFound) //nolint:errorlint // see above
}
