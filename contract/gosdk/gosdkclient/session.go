package gosdkclient

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/internal/messagelimit"
)

type session struct {
	client *mcp.ClientSession
	limit  *messagelimit.Limit
}

var _ agent.Session = (*session)(nil)

// firstModern is the first version of MCP without sessions.
const firstModern = "2026-07-28"

// Modern reports whether the handshake found a server of 2026-07-28 or later.
func (s *session) Modern() bool { return s.client.InitializeResult().ProtocolVersion >= firstModern }

// ListTools sends tools/list.
func (s *session) ListTools(ctx context.Context, cursor string) (json.RawMessage, error) {
	list, err := s.client.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
	if err != nil {
		return nil, s.cause(err)
	}
	return json.Marshal(list)
}

// CallTool sends tools/call.
func (s *session) CallTool(ctx context.Context, p agent.CallParams) (json.RawMessage, error) {
	params := &mcp.CallToolParams{Meta: p.Meta, Name: p.Name, Arguments: p.Arguments, RequestState: p.State}
	if len(p.Responses) > 0 {
		params.InputResponses = mcp.InputResponseMap{}
	}
	for key, raw := range p.Responses {
		var answer mcp.ElicitResult // the agent answers nothing else
		if err := json.Unmarshal(raw, &answer); err != nil {
			return nil, err
		}
		params.InputResponses[key] = &answer
	}
	result, err := s.client.CallTool(ctx, params)
	if err != nil {
		return nil, s.cause(err)
	}
	result.StructuredContent = exact(result)
	return json.Marshal(result)
}

// Close closes the session.
func (s *session) Close() error {
	err := s.client.Close()
	if errors.Is(err, mcp.ErrConnectionClosed) {
		return nil // by the server
	}
	return err
}

// exact returns the structured content with the digits that the server wrote,
// if the text of the result has them.
func exact(r *mcp.CallToolResult) any {
	if r.StructuredContent == nil || len(r.Content) == 0 {
		return r.StructuredContent
	}
	text, isText := r.Content[0].(*mcp.TextContent)
	if !isText {
		return r.StructuredContent
	}
	var same any
	if json.Unmarshal([]byte(text.Text), &same) != nil || !reflect.DeepEqual(same, r.StructuredContent) {
		return r.StructuredContent
	}
	return json.RawMessage(text.Text)
}

// The codes with which the SDK itself reports that a connection is closed, or
// that its transport failed.
const (
	codeClientClosing = -32003
	codeServerClosing = -32004
	codeRejected      = -32005
)

// cause returns the JSON-RPC error with which a server answered. Other errors
// stay as they are, except after a message that was too large, whose error the
// SDK replaces.
func (s *session) cause(err error) error {
	if s.limit.Exceeded() {
		return agent.ErrMessageTooLarge
	}
	var answered *jsonrpc.Error
	if !errors.As(err, &answered) || errors.Is(err, mcp.ErrConnectionClosed) {
		return err
	}
	switch answered.Code {
	case codeClientClosing, codeServerClosing, codeRejected:
		return err
	}
	return &agent.ProtocolError{Code: int(answered.Code), Message: answered.Message, Data: answered.Data}
}
