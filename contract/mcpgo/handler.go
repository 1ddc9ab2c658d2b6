package mcpgo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/trust"
)

// handle is the handler of one name.
func (e *entry) handle(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if q := ownerQueryFrom(ctx); q != nil {
		q.entry = e
		return nil, nil //nolint:nilnil // nobody called
	}
	return e.owner.call(ctx, e, req)
}

// call runs one tools/call through the guard. The name in the request is the
// handler's, or empty where a program calls the handler itself; any other means
// that the handler was registered elsewhere, and does not exist there. Nor does
// a session's handler in another session.
func (b *binding) call(ctx context.Context, e *entry, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Header != nil {
		ctx = b.requested(ctx, req.Header)
	}
	name := e.tool.Name
	if asked := req.Params.Name; asked != "" && asked != name || b.parent != nil && sessionID(ctx) != b.sessionID {
		asked = cmp.Or(asked, name)
		b.set.Refused(ctx, guard.Refusal{Tool: asked, Code: guard.CodeUnknownTool})
		return nil, unknownTool(asked)
	}
	request := withAnswers(ctx, guard.Request{
		Tool:           e.called,
		Arguments:      rawArguments(req.Params),
		IdempotencyKey: sentKey(req.Params.Meta),
		Task:           req.Params.Task != nil,
		Isolate:        isStdio(ctx),
		Progress:       progressTo(ctx, req.Params.Meta),
		Server:         b.serverName,
	}, req.Params.MultiRoundTripParams)
	result, err := b.set.Call(withMeta(ctx, req.Params.Meta), request)
	if errors.Is(err, guard.ErrUnknownTool) {
		return nil, unknownTool(name)
	}
	if err != nil {
		return nil, err
	}
	if e.standIn != nil {
		result.Outcome.UseName = e.listed
	}
	b.naming.translate(&result.Outcome)
	trace(ctx, e, result.Outcome)
	called := callResult(result)
	if challenge := b.challenge(result.Outcome); challenge != "" {
		called.Meta.AdditionalFields[metaKeyChallenges] = []string{challenge}
	}
	return called, nil
}

// sentKey returns the idempotency key that the client sent. One that is no
// string is none that any contract takes.
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

// unknownTool has the text of mcp-go's own answer. It is not its error: the call
// was audited, and the error hook must not do so again.
func unknownTool(name string) error {
	return fmt.Errorf("tool '%s' not found: %v", name, server.ErrToolNotFound) //nolint:errorlint // see above
}

// notJSON stands for arguments that a program gave and that cannot be written:
// no arguments at all would be a different call.
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

// stdioSessionID is the id of mcp-go's one stdio session. Its few workers serve
// all calls, and a handler that ended one would take it away for good. A client
// of another transport that chooses this id gains nothing.
const stdioSessionID = "stdio"

func isStdio(ctx context.Context) bool {
	session := server.ClientSessionFromContext(ctx)
	return session != nil && session.SessionID() == stdioSessionID
}

// ownKeys begins the keys of _meta that are this library's.
const ownKeys = "io.github.toolcontract/"

// callResult writes the guard's answer as mcp-go's: the text, then the content.
// The Meta is fresh for each call, because mcp-go adds to it; of its keys ours
// cannot be the handler's, nor can challenges, on which hosts send people to
// authenticate, be those of a tool that passes on what others wrote.
func callResult(r *guard.Result) *mcp.CallToolResult {
	result := &mcp.CallToolResult{IsError: r.IsError}
	if r.Question != nil {
		result = asked(r)
	} else if r.Text != "" || len(r.Content) == 0 {
		result.Content = append(result.Content, mcp.NewTextContent(r.Text))
	}
	for _, item := range r.Content {
		result.Content = append(result.Content, wireContent(item))
	}
	meta := make(map[string]any, len(r.Meta)+1)
	for key, value := range r.Meta {
		if !strings.HasPrefix(key, ownKeys) && (key != metaKeyChallenges || r.Outcome.ContentTrust == trust.Trusted) {
			meta[key] = value
		}
	}
	meta[contract.MetaKeyOutcome] = r.Outcome
	result.Meta = &mcp.Meta{AdditionalFields: meta}
	if r.Structured != nil {
		result.StructuredContent = r.Structured
	}
	return result
}
