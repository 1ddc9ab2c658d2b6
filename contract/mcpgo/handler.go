package mcpgo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// handle is the handler of one name.
func (e *entry) handle(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if q := ownerQueryFrom(ctx); q != nil {
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
	if req.Header != nil {
		ctx = b.requested(ctx, req.Header)
	}
	w := b.now()
	name := e.tool.Name
	on := server.ServerFromContext(ctx)
	elsewhere := on != nil && on != b.server || b.parent != nil && sessionID(ctx) != b.sessionID
	if asked := req.Params.Name; asked != "" && asked != name || elsewhere {
		asked = cmp.Or(asked, name)
		w.set.Adapter().UnknownTool(ctx, asked)
		return nil, unknownTool(asked)
	}
	request := b.withAnswers(ctx, guard.Request{
		Tool:           e.called,
		Arguments:      rawArguments(req.Params),
		IdempotencyKey: sentKey(req.Params.Meta),
		Task:           req.Params.Task != nil,
		Isolate:        isStdio(ctx),
		Progress:       progressTo(ctx, req.Params.Meta),
		Server:         b.serverName,
	}, req.Params.MultiRoundTripParams)
	result, err := w.set.Call(withMeta(ctx, req.Params.Meta), request)
	if errors.Is(err, guard.ErrUnknownTool) {
		return nil, unknownTool(name)
	}
	if err != nil {
		return nil, err
	}
	if e.standIn != nil {
		result.Outcome.UseName = e.listed
	}
	w.names.translate(&result.Outcome)
	if result.IsError {
		result.Text = w.names.in(result.Text)
	}
	trace(ctx, e, result.Outcome)
	called := callResult(result)
	if c := challenge(result.Outcome, b.resourceMetadata); c != "" {
		called.Meta.AdditionalFields[metaKeyChallenges] = []string{c}
	}
	return called, nil
}

// sentKey returns the idempotency key that the client sent. A key that is not a
// string becomes the empty key, which is never valid.
func sentKey(meta *mcp.Meta) *string {
	if meta == nil {
		return nil
	}
	sent, ok := meta.AdditionalFields[contract.MetaKeyIdempotencyKey]
	if !ok {
		return nil
	}
	key, _ := sent.(string)
	return &key
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

// callResult returns the guard's answer as mcp-go's: the text, then the
// content. The Meta is new for each call, because mcp-go adds to it.
func callResult(r *guard.Result) *mcp.CallToolResult {
	result := &mcp.CallToolResult{IsError: r.IsError}
	switch {
	case r.Question != nil:
		result = asked(r)
	case r.Requests != nil:
		result = inputRequired(r)
	case r.Text != "" || len(r.Content) == 0:
		result.Content = append(result.Content, mcp.NewTextContent(r.Text))
	}
	for _, item := range r.Content {
		result.Content = append(result.Content, wireContent(item))
	}
	result.Meta = &mcp.Meta{AdditionalFields: resultMeta(r)}
	if r.Structured != nil {
		result.StructuredContent = r.Structured
	}
	return result
}
