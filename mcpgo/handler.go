package mcpgo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// handle is the handler of one name.
func (e *entry) handle(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if q, ok := ctx.(*ownerQuery); ok {
		q.entry = e
		return nil, nil //nolint:nilnil // not a call
	}
	return e.owner.call(ctx, e, req)
}

// call runs one tools/call through the guard. The name in the request is that
// of the entry, or empty if a program calls the handler itself. Any other name,
// or another server, means that the handler was registered elsewhere, where the
// tool does not exist. The tool of a session does not exist in other sessions
// either.
func (b *binding) call(ctx context.Context, e *entry, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	header := req.Header
	if header == nil { // a program calls the handler itself, perhaps in a call
		c, _ := adapter.CallerFrom(ctx)
		header = c.Header
	}
	on := server.ServerFromContext(ctx)
	ctx = b.withCaller(withoutAnswers(ctx), header)
	name := e.Name()
	elsewhere := on != nil && on != b.server || b.parent != nil && sessionID(ctx) != b.sessionID
	if asked := req.Params.Name; asked != "" && asked != name || elsewhere {
		asked = cmp.Or(asked, name)
		b.now().Unknown(ctx, asked)
		return nil, unknownTool(asked)
	}
	answer, err := b.run(ctx, on, e, adapter.Request{
		Arguments: rawArguments(req.Params),
		Meta:      sentMeta(req.Params.Meta),
		Task:      req.Params.Task != nil,
	}, req.Params.MultiRoundTripParams)
	if err != nil {
		return nil, err
	}
	return callResult(answer), nil
}

// run runs a request after it has added the client and the progress of the
// session of ctx. The server is nil if a program calls the handler itself.
func (b *binding) run(ctx context.Context, on *server.MCPServer, e *entry, r adapter.Request,
	rounds mcp.MultiRoundTripParams) (*adapter.CallResult, error) {
	r.Client = b.client(ctx, on, rounds)
	r.Progress = progressTo(ctx, on, r.Meta)
	r.Isolate = !isInProcess(ctx)
	answer, err := b.now().Call(ctx, e.Entry, r)
	if errors.Is(err, guard.ErrUnknownTool) {
		return nil, unknownTool(e.Name())
	}
	if err != nil {
		return nil, err
	}
	trace(ctx, e, answer.Outcome)
	return answer, nil
}

// sentMeta returns the _meta of a request as it was sent. Without a
// progressToken it is the map of the request, which must not be changed.
func sentMeta(m *mcp.Meta) map[string]any {
	if m == nil {
		return nil
	}
	if m.ProgressToken == nil && m.AdditionalFields != nil {
		return m.AdditionalFields
	}
	meta := make(map[string]any, len(m.AdditionalFields)+1)
	maps.Copy(meta, m.AdditionalFields)
	if m.ProgressToken != nil {
		meta[progressToken] = m.ProgressToken
	}
	return meta
}

// progressToken is a member of _meta for which mcp-go has a field.
const progressToken = "progressToken"

// progressTo returns a function that reports progress to the caller of ctx, nil
// if it sent no progressToken. A notification is dropped if the client is too
// slow.
func progressTo(ctx context.Context, on *server.MCPServer, meta map[string]any) func(done, total float64, note string) {
	token := meta[progressToken]
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

// notJSON replaces arguments of a program that cannot be written as JSON.
// Without it, the call would run with no arguments, which is a different call.
const notJSON = "!"

// rawArguments returns the arguments as they were sent. A program that calls in
// process may have set only the decoded ones.
func rawArguments(p mcp.CallToolParams) json.RawMessage {
	if len(p.RawArguments) > 0 || p.Arguments == nil {
		return p.RawArguments
	}
	raw, err := json.Marshal(p.Arguments)
	if err != nil {
		return json.RawMessage(notJSON)
	}
	return raw
}

// callResult returns an answer as a result of mcp-go.
func callResult(a *adapter.CallResult) *mcp.CallToolResult {
	all := &struct {
		mcp.CallToolResult
		meta    mcp.Meta
		content [1]mcp.Content // most answers have one
	}{meta: mcp.Meta{AdditionalFields: a.Meta}}
	result := &all.CallToolResult
	result.IsError, result.Content = a.IsError, all.content[:0]
	if a.Requests != nil {
		result = inputRequired(a)
	}
	result.Meta = &all.meta
	for _, item := range a.Content {
		result.Content = append(result.Content, nativeContent(item))
	}
	if a.Structured != nil {
		result.StructuredContent = a.Structured
	}
	return result
}

// inputRequired returns an answer that asks the client for an input.
func inputRequired(a *adapter.CallResult) *mcp.CallToolResult {
	result := server.NewInputRequestBuilder(a.State).ToolResult()
	if json.Unmarshal(a.Requests, &result.InputRequests) != nil {
		return &mcp.CallToolResult{IsError: true} // not from a handler for mcp-go
	}
	return result
}
