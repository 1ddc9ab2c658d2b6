package gosdk

import (
	"context"
	"fmt"
	"io"
	"iter"
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

// registeredTools returns the tools of a session's server by name. They must
// not be changed.
func registeredTools(ctx context.Context, session *mcp.ServerSession) (map[string]*mcp.Tool, error) {
	tools := map[string]*mcp.Tool{}
	for page, err := range toolPages(ctx, session) {
		if err != nil {
			return nil, err
		}
		for _, t := range page {
			tools[t.Name] = t
		}
	}
	return tools, nil
}

// registeredNamed is registeredTools for a few names. The SDK's list is sorted
// by name, so this takes a fraction of the time.
func registeredNamed(ctx context.Context, session *mcp.ServerSession, names ...string) (map[string]*mcp.Tool, error) {
	tools := make(map[string]*mcp.Tool, len(names))
	for page, err := range toolPages(ctx, session) {
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if i, ok := slices.BinarySearchFunc(page, name, compareName); ok {
				tools[name] = page[i]
			}
		}
	}
	return tools, nil
}

func compareName(t *mcp.Tool, name string) int { return strings.Compare(t.Name, name) }

// toolPages yields the pages of the tools of a session's server. An error ends
// them.
func toolPages(ctx context.Context, session *mcp.ServerSession) iter.Seq2[[]*mcp.Tool, error] {
	return func(yield func([]*mcp.Tool, error) bool) {
		params := &mcp.ListToolsParams{}
		for {
			result, err := innermost()(ctx, methodListTools, &mcp.ListToolsRequest{Session: session, Params: params})
			page, ok := result.(*mcp.ListToolsResult)
			if err == nil && !ok {
				err = fmt.Errorf("the SDK returned %T", result)
			}
			if err != nil {
				yield(nil, fmt.Errorf("gosdk: list the registered tools: %w", err))
				return
			}
			if !yield(page.Tools, nil) || page.NextCursor == "" {
				return
			}
			params = &mcp.ListToolsParams{Cursor: page.NextCursor}
		}
	}
}

// A serverState is a snapshot of a server.
type serverState struct {
	name, version string

	tools map[string]*mcp.Tool
}

// inspect reads a server's state through a session without a client: all tools,
// or those of names. No middleware or handler of the server author sees it.
func inspect(s *mcp.Server, names ...string) (*serverState, error) {
	ctx := context.Background()
	session, err := s.Connect(ctx, &deafTransport{closed: make(chan struct{})}, nil)
	if err != nil {
		return nil, fmt.Errorf("gosdk: inspect the server: %w", err)
	}
	defer func() { _ = session.Close() }() // nothing was sent
	var tools map[string]*mcp.Tool
	if len(names) > 0 {
		tools, err = registeredNamed(ctx, session, names...)
	} else {
		tools, err = registeredTools(ctx, session)
	}
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
