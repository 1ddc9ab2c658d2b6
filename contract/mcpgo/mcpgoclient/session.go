package mcpgoclient

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/internal/messagelimit"
)

// A session sends its requests on the transport itself. The methods of mcp-go's
// client decode schemas and results into types that lose parts of them, and
// answer the questions of a server by themselves.
type session struct {
	config

	client       *client.Client
	transport    transport.Interface
	limit        *messagelimit.Limit
	capabilities mcp.ClientCapabilities

	mu    sync.Mutex
	tools map[string]*mcp.Tool // for the headers of their parameters
}

var _ agent.Session = (*session)(nil)

// Modern reports whether the handshake found a server of 2026-07-28 or later.
func (s *session) Modern() bool { return mcp.IsModernProtocol(s.client.ProtocolVersion()) }

// ListTools sends tools/list.
func (s *session) ListTools(ctx context.Context, cursor string) (json.RawMessage, error) {
	params := map[string]any{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	raw, err := s.request(ctx, mcp.MethodToolsList, params, nil)
	if err == nil {
		s.remember(raw)
	}
	return raw, err
}

// CallTool sends tools/call.
func (s *session) CallTool(ctx context.Context, p agent.CallParams) (json.RawMessage, error) {
	params := map[string]any{"name": p.Name, "arguments": p.Arguments}
	if len(p.Responses) > 0 {
		params["inputResponses"] = p.Responses
	}
	if p.State != "" {
		params["requestState"] = p.State
	}
	return s.request(ctx, mcp.MethodToolsCall, params, p.Meta)
}

// Close closes the transport.
func (s *session) Close() error { return s.client.Close() }

// remember stores the definitions of listed tools, because some of their
// arguments are repeated in HTTP headers.
func (s *session) remember(list json.RawMessage) {
	var page struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(list, &page) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, raw := range page.Tools {
		var t mcp.Tool
		if json.Unmarshal(raw, &t) == nil {
			s.tools[t.Name] = &t
		}
	}
}

var (
	errWrongID  = errors.New("mcpgoclient: the response has the id of another request")
	errNoResult = errors.New("mcpgoclient: the response has neither a result nor an error")
)

// request sends one request and returns its result.
func (s *session) request(ctx context.Context, method mcp.MCPMethod, params map[string]any, meta map[string]any) (json.RawMessage, error) {
	modern := s.Modern()
	if modern {
		meta = maps.Clone(meta)
		if meta == nil {
			meta = map[string]any{}
		}
		meta[mcp.MetaKeyProtocolVersion] = s.client.ProtocolVersion()
		meta[mcp.MetaKeyClientCapabilities] = s.capabilities
		meta[mcp.MetaKeyClientInfo] = s.info
	}
	if len(meta) > 0 {
		params["_meta"] = meta
	}
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	// Ids are random, because servers of the newest protocol have no session by
	// which they distinguish the requests of two clients.
	id := mcp.NewRequestId(rand.Text())
	request := transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION, ID: id, Method: string(method), Params: json.RawMessage(encoded), Header: s.header(method, encoded, modern),
	}
	response, err := s.transport.SendRequest(ctx, request)
	if err != nil {
		if ctx.Err() != nil {
			s.cancel(ctx, id)
		}
		return nil, s.cause(err)
	}
	return read(response, id)
}

// cause returns why a request failed. The transports replace the error of a
// message that was too large.
func (s *session) cause(err error) error {
	if s.limit.Exceeded() {
		return agent.ErrMessageTooLarge
	}
	return err
}

// read returns the result of a response to a request.
func read(response *transport.JSONRPCResponse, id mcp.RequestId) (json.RawMessage, error) {
	switch {
	case response == nil:
		return nil, errNoResult
	case response.Error != nil && (response.ID.IsNil() || response.ID.String() == id.String()):
		e := &agent.ProtocolError{Code: response.Error.Code, Message: response.Error.Message}
		if data, err := json.Marshal(response.Error.Data); err == nil && response.Error.Data != nil {
			e.Data = data
		}
		return nil, e
	case response.ID.String() != id.String():
		return nil, errWrongID
	case response.Result == nil:
		return nil, errNoResult
	}
	return response.Result, nil
}

// header returns the headers that repeat parts of a request over HTTP.
func (s *session) header(method mcp.MCPMethod, params json.RawMessage, modern bool) http.Header {
	if !modern {
		return nil
	}
	header := http.Header{}
	for name, value := range mcp.StandardHeaders(s.client.ProtocolVersion(), method, params) {
		header.Set(name, value)
	}
	if method != mcp.MethodToolsCall {
		return header
	}
	var call struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(params, &call) // it was written from a name
	s.mu.Lock()
	tool := s.tools[call.Name]
	s.mu.Unlock()
	if tool == nil {
		return header
	}
	for name, value := range mcp.GenerateParamHeaders(tool, params) {
		header.Set(name, value)
	}
	return header
}

// cancelTime bounds the notification that a request was cancelled.
const cancelTime = 5 * time.Second

// cancel notifies the server that a request was cancelled. Over HTTP the end of
// the request does that.
func (s *session) cancel(ctx context.Context, id mcp.RequestId) {
	if _, isHTTP := s.transport.(transport.HTTPConnection); isHTTP {
		return
	}
	note := mcp.JSONRPCNotification{
		JSONRPC: mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{
			Method: string(mcp.MethodNotificationCancelled),
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": id, "reason": "the caller gave up"}},
		},
	}
	go func() {
		ctx, end := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer end()
		_ = s.transport.SendNotification(ctx, note) // the server may be gone
	}()
}
