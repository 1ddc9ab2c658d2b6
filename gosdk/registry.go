package gosdk

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// This file reads what the SDK does not export: the tools that a server has
// registered, its name, and the function that sends its requests.
//
// The SDK passes each request through the middleware of its server, and the
// innermost function finds the server by the session of the request. So the
// innermost function of any server reaches below the middleware of all.

const (
	methodInitialize = "initialize"
	methodListTools  = "tools/list"
	methodCallTool   = "tools/call"
)

// innermost returns the SDK's receiving function below all middleware.
var innermost = sync.OnceValue(func() (receive mcp.MethodHandler) {
	scratch := mcp.NewServer(&mcp.Implementation{}, nil)
	scratch.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		receive = next
		return next
	})
	return receive
})

// sender returns the function that a server sends requests with now, including
// all middleware.
func sender(s *mcp.Server) (send mcp.MethodHandler) {
	s.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		send = next
		return next
	})
	return send
}

// registeredTools returns the tools of a session's server by name: those of
// names, or all. They must not be changed. The SDK's list is sorted by name, so
// a few names take a fraction of the time.
func registeredTools(ctx context.Context, session *mcp.ServerSession, names ...string) (map[string]*mcp.Tool, error) {
	tools := map[string]*mcp.Tool{}
	for params := (&mcp.ListToolsParams{}); ; {
		result, err := innermost()(ctx, methodListTools, &mcp.ListToolsRequest{Session: session, Params: params})
		page, ok := result.(*mcp.ListToolsResult)
		if err == nil && !ok {
			err = fmt.Errorf("the SDK returned %T", result)
		}
		if err != nil {
			return nil, fmt.Errorf("gosdk: list the registered tools: %w", err)
		}
		for _, name := range names {
			if i, ok := slices.BinarySearchFunc(page.Tools, name, compareName); ok {
				tools[name] = page.Tools[i]
			}
		}
		if len(names) == 0 {
			for _, t := range page.Tools {
				tools[t.Name] = t
			}
		}
		if page.NextCursor == "" {
			return tools, nil
		}
		params = &mcp.ListToolsParams{Cursor: page.NextCursor}
	}
}

func compareName(t *mcp.Tool, name string) int { return strings.Compare(t.Name, name) }

// A serverState is a snapshot of a server.
type serverState struct {
	name, version string

	tools map[string]*mcp.Tool
}

// inspect reads a server's state through a session without a client. No
// middleware or handler of the server author sees it.
func inspect(s *mcp.Server) (*serverState, error) {
	ctx := context.Background()
	session, err := s.Connect(ctx, &deafTransport{closed: make(chan struct{})}, nil)
	if err != nil {
		return nil, fmt.Errorf("gosdk: inspect the server: %w", err)
	}
	defer func() { _ = session.Close() }() // nothing was sent
	tools, err := registeredTools(ctx, session)
	if err != nil {
		return nil, err
	}
	result, err := innermost()(ctx, methodInitialize, &mcp.ServerRequest[*mcp.InitializeParams]{Session: session,
		Params: &mcp.InitializeParams{}})
	if err != nil {
		return nil, fmt.Errorf("gosdk: inspect the server: %w", err)
	}
	state := &serverState{tools: tools}
	if known, ok := result.(*mcp.InitializeResult); ok && known.ServerInfo != nil {
		state.name, state.version = known.ServerInfo.Name, known.ServerInfo.Version
	}
	return state, nil
}

// A deafTransport has no client: nothing arrives, and what is sent is dropped.
type deafTransport struct {
	once   sync.Once
	closed chan struct{}
}

func (t *deafTransport) Connect(context.Context) (mcp.Connection, error) { return t, nil }

func (t *deafTransport) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-t.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (*deafTransport) Write(context.Context, jsonrpc.Message) error { return nil }

func (t *deafTransport) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}

func (*deafTransport) SessionID() string { return "" }
