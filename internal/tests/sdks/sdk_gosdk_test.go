package sdks_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/serve/program"
)

type gosdkSDK struct{}

func (gosdkSDK) Name() string { return "gosdk" }

func (gosdkSDK) Bearer(verify func(context.Context, string) (guard.Principal, error)) guard.PrincipalFunc {
	return gosdk.Bearer(verify)
}

func (gosdkSDK) LocalUser(permissions ...string) guard.PrincipalSource {
	return gosdk.LocalUser(permissions...)
}

func (gosdkSDK) NewServer(name, version string, g *guard.Guard, with options) (server, error) {
	s, err := gosdk.NewServer(name, version, g, gosdkOptions(with)...)
	return gosdkServer{s}, err
}

func (gosdkSDK) NewHandler(name, version string, g *guard.Guard, with options) (http.Handler, error) {
	return gosdk.NewHandler(name, version, g, gosdkOptions(with)...)
}

func (gosdkSDK) ServeStdio(name, version string, g *guard.Guard, with options) error {
	return gosdk.ServeStdio(name, version, g, gosdkOptions(with)...)
}

func (gosdkSDK) Wrap(tool definition, h handler, opts ...wrap.Option) *wrap.Builder {
	return gosdk.Wrap(gosdkTool(tool), gosdkHandler(h), opts...)
}

func (gosdkSDK) Kinds() []string { return []string{"plain"} }

func (gosdkSDK) Existing(name, _ string, pageSize int) server {
	return gosdkServer{mcp.NewServer(&mcp.Implementation{Name: name, Version: "1.0.0"}, &mcp.ServerOptions{PageSize: pageSize})}
}

func (gosdkSDK) Library(name, version string) server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: version}, &mcp.ServerOptions{
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "nna"}}}, nil
		},
	})
	s.AddResource(&mcp.Resource{Name: "menu", URI: "test:menu"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "soup"}}}, nil
		})
	s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "name"}}},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{
				Role: "user", Content: &mcp.TextContent{Text: "hello " + r.Params.Arguments["name"]},
			}}}, nil
		})
	return withPlain(gosdkServer{s})
}

func (gosdkSDK) Program(own server) program.SDK { return gosdk.SDK{Server: own.(gosdkServer).Server} }

func (gosdkSDK) Nil() server { return gosdkServer{} }

func (gosdkSDK) Unknown(name string) string { return `unknown tool "` + name + `"` }

func (gosdkSDK) PageRequired(q question) error {
	return mcp.URLElicitationRequiredError([]*mcp.ElicitParams{{Mode: "url", Message: q.message, URL: q.url, ElicitationID: q.id}})
}

func gosdkOptions(with options) []gosdk.Option {
	opts := []gosdk.Option{gosdk.WithTools(with.Tools...), gosdk.WithTier(with.Tier), gosdk.WithNames(with.Naming)}
	if with.HostConfirmation {
		opts = append(opts, gosdk.WithHostConfirmation())
	}
	if with.ResourceMetadata != nil {
		opts = append(opts, gosdk.WithResourceMetadata(*with.ResourceMetadata))
	}
	if with.closedWorld {
		opts = append(opts, gosdk.WithClosedWorld())
	}
	if with.nilOption {
		opts = append(opts, nil)
	}
	if with.serverOption || with.pageSize > 0 {
		opts = append(opts, gosdk.WithServerOptions(mcp.ServerOptions{PageSize: with.pageSize}))
	}
	if with.sessionTimeout > 0 {
		opts = append(opts, gosdk.WithHTTPOptions(mcp.StreamableHTTPOptions{SessionTimeout: with.sessionTimeout}))
	}
	if with.in != nil {
		opts = append(opts, gosdk.WithStreams(with.in, with.out))
	}
	if with.sharedStdout {
		opts = append(opts, gosdk.WithSharedStdout())
	}
	return opts
}

type gosdkServer struct{ *mcp.Server }

func (s gosdkServer) AddTool(tool definition, h handler) {
	s.Server.AddTool(gosdkTool(tool), gosdkHandler(h))
}

func (s gosdkServer) AddTyped(g *guard.Guard, name string, h func(context.Context, credentials) (done, error),
	base contract.Base) error {
	return gosdk.AddTool(s.Server, g, &mcp.Tool{Name: name, Description: "Logs in."},
		func(ctx context.Context, _ *mcp.CallToolRequest, in credentials) (*mcp.CallToolResult, done, error) {
			out, err := h(ctx, in)
			return nil, out, err
		}, base)
}

func (s gosdkServer) AddAsking(g *guard.Guard, name string, h asker, base contract.Base) error {
	return gosdk.AddTool(s.Server, g, &mcp.Tool{Name: name, Description: "Asks for a city."},
		func(ctx context.Context, r *mcp.CallToolRequest, _ empty) (*mcp.CallToolResult, city, error) {
			c, err := h(ctx, gosdkAsk(r))
			return nil, c, err
		}, base)
}

func (s gosdkServer) RemoveTool(name string) { s.RemoveTools(name) }

// Handle passes the message to the server in a new session of the older era.
func (s gosdkServer) Handle(t *testing.T, message string) string {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	session, err := s.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	conn, err := here.Connect(t.Context())
	require.NoError(t, err)
	defer func() {
		_ = conn.Close()
		_ = session.Wait()
	}()
	write := func(raw string) {
		t.Helper()
		m, err := jsonrpc.DecodeMessage([]byte(raw))
		require.NoError(t, err, raw)
		require.NoError(t, conn.Write(t.Context(), m))
	}
	ask := func(raw string) string {
		t.Helper()
		write(raw)
		for {
			m, err := conn.Read(t.Context())
			require.NoError(t, err)
			answer, err := jsonrpc.EncodeMessage(m)
			require.NoError(t, err)
			if _, ok := m.(*jsonrpc.Response); ok {
				return string(answer)
			}
		}
	}
	ask(sdktest.Opening(`{"elicitation":{}}`, "test"))
	write(initialized)
	return ask(message)
}

func (s gosdkServer) Sessions(t *testing.T) http.Handler {
	t.Helper()
	table, err := gosdk.NewTable("endpoint", "1.0.0", nil) // only its endpoint is used
	require.NoError(t, err)
	return table.Handler(func(*http.Request) *mcp.Server { return s.Server })
}

func (s gosdkServer) Register(g *guard.Guard, with options) error {
	return gosdk.Register(s.Server, g, gosdkOptions(with)...)
}

func (s gosdkServer) Protect(opts ...belt.Settings) (*wrap.Report, error) {
	return gosdk.Protect(s.Server, opts...)
}

func (s gosdkServer) WrapAll(g *guard.Guard, rules wrap.Rules, with options) (*wrap.Report, error) {
	return gosdk.WrapAll(s.Server, g, rules, gosdkOptions(with)...)
}

func (s gosdkServer) Add(tools ...*contract.Tool) error { return gosdk.Add(s.Server, tools...) }

func (s gosdkServer) Replace(tools ...*contract.Tool) error { return gosdk.Replace(s.Server, tools...) }
func (s gosdkServer) Verify() error                         { return gosdk.Verify(s.Server) }
func (s gosdkServer) ToolsOf() []*contract.Tool             { return gosdk.ToolsOf(s.Server) }
func (s gosdkServer) HandlerOf() (http.Handler, error)      { return gosdk.HandlerOf(s.Server) }
func (s gosdkServer) ServeStdioServer() error               { return gosdk.ServeStdioServer(s.Server) }

func gosdkTool(d definition) *mcp.Tool {
	tool := &mcp.Tool{Name: d.name, Title: d.title, Description: d.description, InputSchema: json.RawMessage(objectOr(d.input)),
		Meta: d.meta}
	if d.output != "" {
		tool.OutputSchema = json.RawMessage(d.output)
	}
	if d.icon != "" {
		tool.Icons = []mcp.Icon{{Source: d.icon}}
	}
	if d.readOnly != nil || d.destructive != nil || d.idempotent != nil || d.open != nil {
		is := func(hint *bool) bool { return hint != nil && *hint }
		tool.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: is(d.readOnly), DestructiveHint: d.destructive,
			IdempotentHint: is(d.idempotent), OpenWorldHint: d.open}
	}
	return tool
}

func gosdkHandler(h handler) mcp.ToolHandler {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in := request{name: r.Params.Name, arguments: string(r.Params.Arguments), progressToken: r.Params.GetProgressToken(),
			meta: r.Params.Meta, state: r.Params.RequestState, responses: len(r.Params.InputResponses)}
		if r.Extra != nil {
			in.header = r.Extra.Header
		}
		in.response = func(name string) *answer {
			given, ok := r.Params.InputResponses[name].(*mcp.ElicitResult)
			if !ok {
				return nil
			}
			return &answer{given.Action, given.Content}
		}
		in.ask = gosdkAsk(r)
		out, err := h(ctx, in)
		if out == nil {
			return nil, err
		}
		return gosdkResult(*out), err
	}
}

func gosdkAsk(r *mcp.CallToolRequest) func(context.Context, form) (answer, error) {
	return func(ctx context.Context, f form) (answer, error) {
		given, err := r.Session.Elicit(ctx, gosdkForm(f))
		if err != nil {
			return answer{}, err
		}
		return answer{given.Action, given.Content}, nil
	}
}

func gosdkForm(f form) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: f.message, RequestedSchema: f.schema()}
}

func gosdkResult(r result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{StructuredContent: r.structured, IsError: r.isError, RequestState: r.state, Meta: r.meta}
	if r.text != "" {
		out.Content = []mcp.Content{&mcp.TextContent{Text: r.text}}
	}
	if r.afterImage != "" {
		out.Content = append(out.Content, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"},
			&mcp.TextContent{Text: r.afterImage})
	}
	if r.asks != nil {
		out.InputRequests = mcp.InputRequestMap{}
		for name, f := range r.asks {
			out.InputRequests[name] = gosdkForm(f)
		}
	}
	return out
}

// A bearer adds a token to the requests of a client.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (gosdkSDK) Client(t *testing.T, to endpoint, e era, p *person) client {
	t.Helper()
	var over mcp.Transport = &mcp.StreamableClientTransport{Endpoint: to.url, HTTPClient: &http.Client{Transport: bearer(to.token)}}
	if to.env != nil {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), to.env...)
		over = &mcp.CommandTransport{Command: cmd}
	}
	opts := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if p != nil {
		opts = &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			a := p.answer(ctx, question{r.Params.Mode, r.Params.Message, r.Params.URL, r.Params.ElicitationID, r.Params.RequestedSchema})
			// The SDK fills in the form's defaults, and answers are shared by tests.
			return &mcp.ElicitResult{Action: a.action, Content: maps.Clone(a.content)}, nil
		}}
		if p.writes != nil {
			//nolint:staticcheck // deprecated in 2026-07-28, and used before
			opts.CreateMessageHandler = func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
				//nolint:staticcheck // the same
				prompt, _ := r.Params.Messages[0].Content.(*mcp.TextContent)
				return &mcp.CreateMessageResult{Model: "test", Role: "assistant",
					Content: &mcp.TextContent{Text: p.writes(prompt.Text, int(r.Params.MaxTokens))}}, nil
			}
		}
		if p.forms || p.pages {
			can := &mcp.ElicitationCapabilities{}
			if p.forms {
				can.Form = &mcp.FormElicitationCapabilities{}
			}
			if p.pages {
				can.URL = &mcp.URLElicitationCapabilities{}
			}
			opts.Capabilities = &mcp.ClientCapabilities{Elicitation: can}
		}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).
		Connect(t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: string(e)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	require.Equal(t, string(e), session.InitializeResult().ProtocolVersion)
	return gosdkClient{session}
}

type gosdkClient struct{ *mcp.ClientSession }

func (c gosdkClient) Names(t *testing.T) []string {
	t.Helper()
	listed, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	names := make([]string, len(listed.Tools))
	for i, tool := range listed.Tools {
		names[i] = tool.Name
	}
	return names
}

func (c gosdkClient) Beside(t *testing.T) []string {
	t.Helper()
	resources, err := c.ListResources(t.Context(), nil)
	require.NoError(t, err)
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resources.Resources[0].URI})
	require.NoError(t, err)
	prompts, err := c.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	name := prompts.Prompts[0].Name
	prompt, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"name": "Anna"}})
	require.NoError(t, err)
	completed, err := c.Complete(t.Context(), &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: name}, Argument: mcp.CompleteParamsArgument{Name: "name", Value: "A"},
	})
	require.NoError(t, err)
	text, ok := prompt.Messages[0].Content.(*mcp.TextContent)
	require.True(t, ok)
	return []string{read.Contents[0].Text, text.Text, completed.Completion.Values[0]}
}

func (c gosdkClient) Call(ctx context.Context, tool string, arguments any) (string, error) {
	return response(c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments}))
}
