package gosdk

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
)

// receive is this package's receiving middleware.
func (b *binding) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if err := b.begin(ctx); err != nil {
			return nil, err
		}
		sessionBegan(ctx, req.GetSession())
		b.warnOfStranger(ctx, req.GetSession())
		p, ok := req.GetParams().(*mcp.SetLoggingLevelParams) //nolint:staticcheck // deprecated in 2026-07-28, and used before
		if ok && (p == nil || !slices.Contains(levels, string(p.Level))) {
			return nil, errLevel // the SDK would keep any text with the session
		}
		switch r := req.(type) {
		case *mcp.ListToolsRequest:
			if method == methodListTools {
				return b.list(ctx, r, next)
			}
		case *mcp.CallToolRequest:
			if method == methodCallTool {
				return b.call(ctx, r, next)
			}
		}
		return next(ctx, method, req)
	}
}

// levels are the protocol's log levels (MCP 2025-11-25, logging, "Log Levels").
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

var errLevel = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown level; known: debug, info, notice, warning, " +
	"error, critical, alert, emergency"}

// warnOfStranger logs a warning at the first message of a client that LocalUser
// does not know, because all of its calls will be unauthenticated.
func (b *binding) warnOfStranger(ctx context.Context, of mcp.Session) {
	session, _ := of.(*mcp.ServerSession)
	if !b.table().OnlyLocal() || isLocal(session) {
		return
	}
	b.stranger.Do(func() {
		slog.WarnContext(ctx, "toolcontract: LocalUser does not know this client, so its calls are unauthenticated; "+
			"serve standard input and output with gosdk.ServeStdioServer instead of Server.Run, and HTTP with gosdk.Bearer")
	})
}

// identify puts what is known about the sender of one request into the context.
// It does not read the SDK's context, which over HTTP can belong to another
// request of the session.
func identify(ctx context.Context, session *mcp.ServerSession, extra *mcp.RequestExtra) context.Context {
	var caller adapter.Caller
	if extra != nil {
		caller.Header = extra.Header
	}
	caller.Local = len(caller.Header) == 0 && isLocal(session)
	return adapter.WithCaller(withToken(ctx, extra), caller)
}

// localSessions is the prefix of the session ids of local clients. The SDK's
// own network transports have random ids or none, and clients cannot choose
// one.
const localSessions = "toolcontract-local:"

func isLocal(session *mcp.ServerSession) bool {
	return session != nil && strings.HasPrefix(session.ID(), localSessions)
}

// noCursor is a cursor that the SDK cannot read, so it answers with -32602.
const noCursor = "!"

// list answers tools/list with the tools that the caller may see. Middleware
// below this one gets the SDK's own cursor, and its changes to tools with
// contracts are dropped.
func (b *binding) list(ctx context.Context, req *mcp.ListToolsRequest, next mcp.MethodHandler) (mcp.Result, error) {
	ctx = identify(ctx, req.Session, req.Extra)
	tools, err := registeredTools(ctx, req.Session)
	if err != nil {
		return nil, internalError(err)
	}
	b.adopt(ctx, tools)
	t := b.table()
	if req.Params != nil && req.Params.Cursor != "" {
		params := *req.Params
		var ok bool
		if params.Cursor, ok = t.OpenCursor(params.Cursor); !ok {
			params.Cursor = noCursor
		}
		req = &mcp.ListToolsRequest{Session: req.Session, Params: &params, Extra: req.Extra}
	}
	result, err := next(ctx, methodListTools, req)
	listed, ok := result.(*mcp.ListToolsResult)
	if err != nil || !ok {
		return result, err
	}
	return b.trim(ctx, t, listed, tools), nil
}

// trim returns the part of a list that the caller may see. It copies the list,
// because middleware may keep the original.
func (b *binding) trim(ctx context.Context, t *table, listed *mcp.ListToolsResult,
	tools map[string]*mcp.Tool) *mcp.ListToolsResult {
	trimmed := *listed
	trimmed.Tools = make([]*mcp.Tool, 0, len(listed.Tools)) // a list is never null
	isListed := t.Lists(ctx)
	for _, tool := range listed.Tools {
		if tool == nil {
			continue
		}
		if r := t.listed[tool.Name]; r != nil {
			if r.isRegistered(tools) && isListed(r.entry) {
				trimmed.Tools = append(trimmed.Tools, r.listed)
			}
			continue
		}
		if b.isPlain(tool.Name) {
			trimmed.Tools = append(trimmed.Tools, tool)
		}
	}
	if trimmed.NextCursor != "" {
		trimmed.NextCursor = t.SealCursor(trimmed.NextCursor)
	}
	if t.Varies() {
		// This overrides the server's own, because a shared cache would show
		// one caller the list of another.
		trimmed.CacheScope = "private"
	}
	return &trimmed
}

// call answers tools/call. A call to a tool with a contract goes on to its
// handler, through the middleware below this one. Calls that may not run end
// here.
func (b *binding) call(ctx context.Context, req *mcp.CallToolRequest, next mcp.MethodHandler) (mcp.Result, error) {
	growStack(0)
	ctx, release := untilHangUp(identify(ctx, req.Session, req.Extra), req.Extra)
	defer release()
	name := req.Params.Name
	t, tools, err := b.called(ctx, req.Session, name)
	if err != nil {
		return nil, internalError(err)
	}
	c := &call{binding: b, table: t, req: req, next: next}
	switch r := t.called[name]; {
	case r != nil && !t.isServed(r, tools):
		return nil, c.unknown(ctx)
	case r != nil && r.adopted:
		result, err := c.run(ctx, r, req)
		if err != nil {
			return nil, err
		}
		return c.finish(result), nil
	case r != nil:
		result, err := next(context.WithValue(ctx, callKey{}, c), methodCallTool, req)
		if called, ok := result.(*mcp.CallToolResult); ok && err == nil {
			return c.finish(called), nil
		}
		return result, err
	case t.Claims(name), tools[name] != nil && !b.isPlain(name):
		return nil, c.unknown(ctx)
	}
	result, err := next(ctx, methodCallTool, req)
	if err != nil && tools[name] == nil {
		t.Unknown(ctx, name)
	}
	return result, err
}

// unknown audits a call to a name that is not served, and returns the SDK's
// error for it.
func (c *call) unknown(ctx context.Context) error {
	c.table.Unknown(ctx, c.req.Params.Name)
	return unknownTool(c.req.Params.Name)
}

// unknownTool returns the SDK's error for an unknown name (mcp/server.go:1008).
func unknownTool(name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", name)}
}

// internalError gives an error a code. The SDK would write any other error with
// code 0 (internal/jsonrpc2/messages.go:129).
func internalError(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}
