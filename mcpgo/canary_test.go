package mcpgo_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// The tests in this file pin behaviour of mcp-go that this package depends on.
// If one fails after an update, mcp-go was either fixed or has a new way around
// the guard. Find out which before you change the test.

// bare returns a server without contracts, with one tool, and the counter of
// its runs.
func bare(opts ...server.ServerOption) (*server.MCPServer, *int) {
	s := server.NewMCPServer("bare", "1", opts...)
	runs := new(int)
	s.AddTool(mcp.NewTool("a.tool"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		*runs++
		return mcp.NewToolResultText("ran"), nil
	})
	return s, runs
}

func TestCanary_FilteredToolAnswersLikeAnUnknownOne(t *testing.T) {
	t.Parallel()
	var filtered [][]string
	s, runs := bare(server.WithToolFilter(func(_ context.Context, found []mcp.Tool) []mcp.Tool {
		filtered = append(filtered, names(found))
		return nil
	}))
	s.AddTool(mcp.NewTool("b.tool"), nil)
	assertUnknown(t, handle(t, s, callOf("a.tool", `{}`)), "a.tool")
	assertUnknown(t, handle(t, s, callOf("no.tool", `{}`)), "no.tool")
	handle(t, s, list)
	assert.Zero(t, *runs)
	assert.Equal(t, [][]string{{"a.tool"}, {"a.tool", "b.tool"}}, filtered, "a call is filtered like a list of one tool")
}

// Calls of aliases depend on this: the name that the filters return decides.
func TestCanary_FiltersFormAChainAndTheFinalNameCounts(t *testing.T) {
	t.Parallel()
	rename := func(from, to string) server.ServerOption {
		return server.WithToolFilter(func(_ context.Context, found []mcp.Tool) []mcp.Tool {
			for i := range found {
				if found[i].Name == from {
					found[i].Name = to
				}
			}
			return found
		})
	}
	s, runs := bare(rename("a.tool", "x"), rename("x", "a.tool"))
	handle(t, s, callOf("a.tool", `{}`))
	assert.Equal(t, 1, *runs)
	s, runs = bare(rename("a.tool", "x"))
	assertUnknown(t, handle(t, s, callOf("a.tool", `{}`)), "a.tool")
	assert.Zero(t, *runs)
}

func TestCanary_MetaAndHintsKeepTheirIdentity(t *testing.T) {
	t.Parallel()
	s, _ := bare()
	meta, hint := &mcp.Meta{}, new(bool)
	var seen mcp.Tool
	server.WithToolFilter(func(_ context.Context, found []mcp.Tool) []mcp.Tool {
		seen = found[0]
		return found
	})(s)
	registered := mcp.Tool{Name: "m", Meta: meta, RawInputSchema: json.RawMessage(`{"type":"object"}`)}
	registered.Annotations.ReadOnlyHint = hint
	s.SetTools(server.ServerTool{Tool: registered})
	handle(t, s, list)
	for _, found := range []mcp.Tool{seen, s.GetTool("m").Tool} {
		assert.Same(t, meta, found.Meta)
		assert.Same(t, hint, found.Annotations.ReadOnlyHint)
	}
}

func TestCanary_ToolIsReplacedAndShadowedSilently(t *testing.T) {
	t.Parallel()
	s, runs := bare()
	x, replaced := intruder("a.tool")
	s.AddTools(x)
	handle(t, s, callOf("a.tool", `{}`))
	assert.EqualValues(t, 1, replaced.Load())
	y, shadowed := intruder("a.tool")
	ctx := s.WithContext(t.Context(), &session{id: "s", tools: map[string]server.ServerTool{"a.tool": y}})
	handleAs(t, ctx, s, callOf("a.tool", `{}`))
	assert.EqualValues(t, 1, shadowed.Load())
	assert.Zero(t, *runs)
}

func TestCanary_CursorIsTheNameOfATool(t *testing.T) {
	t.Parallel()
	s, _ := bare(server.WithPaginationLimit(1))
	a := sdktest.Parse(t, handle(t, s, list))
	assert.Equal(t, base64.StdEncoding.EncodeToString([]byte("a.tool")), a.Result.NextCursor)
	a = sdktest.Parse(t, handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"!"}}`))
	require.NotNil(t, a.Error)
	assert.Equal(t, mcp.INVALID_PARAMS, a.Error.Code)
}

func TestCanary_HandlerErrorIsSentUnchanged(t *testing.T) {
	t.Parallel()
	s, _ := bare()
	s.AddTool(mcp.NewTool("b.tool"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("password")
	})
	a := sdktest.Parse(t, handle(t, s, callOf("b.tool", `{}`)))
	require.NotNil(t, a.Error)
	assert.Equal(t, mcp.INTERNAL_ERROR, a.Error.Code)
	assert.Equal(t, "password", a.Error.Message)
}

func TestCanary_ErrorHookGetsUnknownAndUnparsableCalls(t *testing.T) {
	t.Parallel()
	type call struct {
		name   string
		header http.Header
		parsed bool
	}
	var calls []call
	hooks := &server.Hooks{}
	hooks.AddOnError(func(_ context.Context, _ any, _ mcp.MCPMethod, message any, err error) {
		req, ok := message.(*mcp.CallToolRequest)
		require.True(t, ok)
		_, unparsable := errors.AsType[*server.UnparsableMessageError](err)
		calls = append(calls, call{req.Params.Name, req.Header, !unparsable})
	})
	s, _ := bare(server.WithHooks(hooks))
	handle(t, s, callOf("no.tool", `{}`))
	handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`)
	handle(t, s, `{"jsonrpc":"2.0","id":1,`)                                      // no error hook
	handle(t, s, `{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{}}`)    // no error hook
	handle(t, s, `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{}}`) // no error hook
	assert.Equal(t, []call{{"no.tool", http.Header{}, true}, {"", nil, false}}, calls)
}

func TestCanary_TaskToolBypassesMiddleware(t *testing.T) {
	t.Parallel()
	passed := false
	s, _ := bare(server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		passed = true
		return next
	}))
	ran := make(chan struct{})
	s.AddTaskTool(mcp.NewTool("a.task", mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(context.Context,
		mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		close(ran)
		return &mcp.CreateTaskResult{}, nil
	})
	handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.task","task":{}}}`)
	<-ran
	assert.False(t, passed)
	assert.Nil(t, s.GetTool("a.task"), "a task tool is not found by GetTool")
}

func TestCanary_AddToolPanics(t *testing.T) {
	t.Parallel()
	s, _ := bare()
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}`)
	assert.Panics(t, func() { s.AddTool(mcp.Tool{Name: "b", RawInputSchema: schema}, nil) })
	s.AddTaskTool(mcp.NewTool("task"), nil)
	assert.Panics(t, func() { s.AddTool(mcp.NewTool("task"), nil) })
}

// ServeStdio reads its input itself because of these two facts.
func TestCanary_StdioDropsRunningCallsAtTheEndOfItsInput(t *testing.T) { //nolint:paralleltest // mcp-go has one stdio session
	s, _ := bare()
	begun, ended := make(chan struct{}), make(chan error, 1)
	s.AddTool(mcp.NewTool("b.tool"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	in, feed := io.Pipe()
	out, answers := io.Pipe()
	listened := make(chan error, 1)
	go func() {
		listened <- server.NewStdioServer(s).Listen(t.Context(), in, answers)
		_ = answers.Close()
	}()
	read := make(chan string, 10)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			read <- lines.Text()
		}
		close(read)
	}()
	_, err := io.WriteString(feed, callOf("b.tool", `{}`)+"\n")
	require.NoError(t, err)
	<-begun
	_, err = io.WriteString(feed, strings.Replace(callOf("a.tool", `{}`), `"id":1`, `"id":2`, 1)) // no line end
	require.NoError(t, err)
	require.NoError(t, feed.Close())
	require.ErrorIs(t, <-ended, context.Canceled, "a running call is cancelled")
	require.NoError(t, <-listened)
	for line := range read {
		assert.NotContains(t, line, `"id":2`, "a last line without an end is dropped")
	}
}

// Whether a session is one of the server depends on this.
func TestCanary_DeletingNoResourcesShowsWhetherASessionIsOpen(t *testing.T) {
	t.Parallel()
	s, _ := bare(server.WithResourceCapabilities(true, true))
	require.ErrorIs(t, s.DeleteSessionResources("mine"), server.ErrSessionNotFound)
	for name, opened := range map[string]server.ClientSession{
		"without resources": listening{&session{id: "without resources"}, make(chan mcp.JSONRPCNotification, 1)},
		"with resources":    &withResources{session: &session{id: "with resources"}},
	} {
		require.NoError(t, s.RegisterSession(t.Context(), opened))
		assert.NotErrorIs(t, s.DeleteSessionResources(name), server.ErrSessionNotFound)
		s.UnregisterSession(t.Context(), name)
		assert.ErrorIs(t, s.DeleteSessionResources(name), server.ErrSessionNotFound)
	}
}

// withResources is a session whose resources must not be written.
type withResources struct {
	*session
	server.SessionWithResources
}

func (s *withResources) Initialize()                                         { s.session.Initialize() }
func (s *withResources) Initialized() bool                                   { return true }
func (s *withResources) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }
func (s *withResources) SessionID() string                                   { return s.id }

func (*withResources) GetSessionResources() map[string]server.ServerResource {
	return map[string]server.ServerResource{"file:///a": {}}
}

func TestCanary_NotificationCallsNoHook(t *testing.T) {
	t.Parallel()
	handled := 0
	hooks := &server.Hooks{}
	hooks.AddBeforeAny(func(context.Context, any, mcp.MCPMethod, any) { t.Error("a hook was called") })
	hooks.AddOnRequestInitialization(func(context.Context, any, any) error { t.Error("a hook was called"); return nil })
	s, _ := bare(server.WithHooks(hooks))
	s.AddNotificationHandler("notifications/own", func(context.Context, mcp.JSONRPCNotification) { handled++ })
	s.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","method":"notifications/own"}`))
	assert.Equal(t, 1, handled)
}
