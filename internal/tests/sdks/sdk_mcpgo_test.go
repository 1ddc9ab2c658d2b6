package sdks_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/serve/program"
)

type mcpgoSDK struct{}

func (mcpgoSDK) Name() string { return "mcpgo" }

func (mcpgoSDK) Bearer(verify func(context.Context, string) (guard.Principal, error)) guard.PrincipalFunc {
	return mcpgo.Bearer(verify)
}

func (mcpgoSDK) LocalUser(permissions ...string) guard.PrincipalSource {
	return mcpgo.LocalUser(permissions...)
}

func (mcpgoSDK) NewServer(name, version string, g *guard.Guard, with options) (server, error) {
	s, err := mcpgo.NewServer(name, version, g, mcpgoOptions(with)...)
	return mcpgoServer{s}, err
}

func (mcpgoSDK) NewHandler(name, version string, g *guard.Guard, with options) (http.Handler, error) {
	return mcpgo.NewHandler(name, version, g, mcpgoOptions(with)...)
}

func (mcpgoSDK) ServeStdio(name, version string, g *guard.Guard, with options) error {
	return mcpgo.ServeStdio(name, version, g, mcpgoOptions(with)...)
}

func (mcpgoSDK) Wrap(tool definition, h handler, opts ...wrap.Option) *wrap.Builder {
	return mcpgo.Wrap(mcpgoTool(tool), mcpgoHandler(h), opts...)
}

const (
	withHooks     = "with hooks"
	strictSchemas = "with strict schemas"
	recovering    = "with recovery"
)

func (mcpgoSDK) Kinds() []string { return []string{"plain", withHooks, strictSchemas, recovering} }

func (mcpgoSDK) Existing(name, kind string, pageSize int) server {
	var opts []mcpserver.ServerOption
	switch kind {
	case withHooks:
		opts = append(opts, mcpserver.WithHooks(&mcpserver.Hooks{}))
	case strictSchemas:
		opts = append(opts, mcpserver.WithStrictInputSchemaDefault(), mcpserver.WithInputSchemaValidation())
	case recovering:
		opts = append(opts, mcpserver.WithRecovery(), mcpserver.WithToolCapabilities(true))
	}
	if pageSize > 0 {
		opts = append(opts, mcpserver.WithPaginationLimit(pageSize))
	}
	return mcpgoServer{mcpserver.NewMCPServer(name, "1.0.0", opts...)}
}

func (mcpgoSDK) Library(name, version string) server {
	s := mcpserver.NewMCPServer(name, version, mcpserver.WithCompletions(), mcpserver.WithPromptCompletionProvider(completing{}))
	s.AddResource(mcp.NewResource("test:menu", "menu"),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: "soup"}}, nil
		})
	s.AddPrompt(mcp.NewPrompt("greet", mcp.WithArgument("name")),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("hello "+r.Params.Arguments["name"])),
			}), nil
		})
	return withPlain(mcpgoServer{s})
}

type completing struct{}

func (completing) CompletePromptArgument(_ context.Context, _ string, a mcp.CompleteArgument,
	_ mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{a.Value + "nna"}}, nil
}

func (mcpgoSDK) Program(own server) program.SDK {
	return mcpgo.SDK{Server: own.(mcpgoServer).MCPServer}
}

func (mcpgoSDK) Nil() server { return mcpgoServer{} }

func (mcpgoSDK) Unknown(name string) string { return "tool '" + name + "' not found: tool not found" }

func (mcpgoSDK) PageRequired(q question) error {
	return mcp.URLElicitationRequiredError{Elicitations: []mcp.ElicitationParams{{Mode: "url", Message: q.message, URL: q.url,
		ElicitationID: q.id}}}
}

func mcpgoOptions(with options) []mcpgo.Option {
	opts := []mcpgo.Option{mcpgo.WithTools(with.Tools...), mcpgo.WithTier(with.Tier), mcpgo.WithNames(with.Naming),
		mcpgo.WithSessionTimeout(with.sessionTimeout)}
	if with.HostConfirmation {
		opts = append(opts, mcpgo.WithHostConfirmation())
	}
	if with.ResourceMetadata != nil {
		opts = append(opts, mcpgo.WithResourceMetadata(*with.ResourceMetadata))
	}
	if with.closedWorld {
		opts = append(opts, mcpgo.WithClosedWorld())
	}
	if with.nilOption {
		opts = append(opts, nil)
	}
	if with.serverOption {
		opts = append(opts, mcpgo.WithServerOptions(mcpserver.WithRecovery()))
	}
	if with.pageSize > 0 {
		opts = append(opts, mcpgo.WithServerOptions(mcpserver.WithPaginationLimit(with.pageSize)))
	}
	if with.in != nil {
		opts = append(opts, mcpgo.WithStreams(with.in, with.out))
	}
	if with.sharedStdout {
		opts = append(opts, mcpgo.WithSharedStdout())
	}
	return opts
}

type mcpgoServer struct{ *mcpserver.MCPServer }

func (s mcpgoServer) AddTool(tool definition, h handler) {
	s.MCPServer.AddTool(mcpgoTool(tool), mcpgoHandler(h))
}

func (s mcpgoServer) AddTyped(g *guard.Guard, name string, h func(context.Context, credentials) (done, error),
	base contract.Base) error {
	return mcpgo.AddTool(s.MCPServer, g, mcp.NewTool(name, mcp.WithDescription("Logs in.")),
		func(ctx context.Context, _ mcp.CallToolRequest, in credentials) (done, error) { return h(ctx, in) }, base)
}

func (s mcpgoServer) AddAsking(g *guard.Guard, name string, h asker, base contract.Base) error {
	return mcpgo.AddTool(s.MCPServer, g, mcp.NewTool(name, mcp.WithDescription("Asks for a city.")),
		func(ctx context.Context, _ mcp.CallToolRequest, _ empty) (city, error) { return h(ctx, mcpgoAsk) }, base)
}

func (s mcpgoServer) RemoveTool(name string) { s.DeleteTools(name) }

func (s mcpgoServer) Handle(t *testing.T, message string) string {
	t.Helper()
	answer, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(message)))
	require.NoError(t, err)
	return string(answer)
}

func (s mcpgoServer) Sessions(*testing.T) http.Handler {
	return adapter.LimitHandler(mcpserver.NewStreamableHTTPServer(s.MCPServer), 0)
}

func (s mcpgoServer) Register(g *guard.Guard, with options) error {
	return mcpgo.Register(s.MCPServer, g, mcpgoOptions(with)...)
}

func (s mcpgoServer) Protect(opts ...belt.Settings) (*wrap.Report, error) {
	return mcpgo.Protect(s.MCPServer, opts...)
}

func (s mcpgoServer) WrapAll(g *guard.Guard, rules wrap.Rules, with options) (*wrap.Report, error) {
	return mcpgo.WrapAll(s.MCPServer, g, rules, mcpgoOptions(with)...)
}

func (s mcpgoServer) Add(tools ...*contract.Tool) error { return mcpgo.Add(s.MCPServer, tools...) }

func (s mcpgoServer) Replace(tools ...*contract.Tool) error {
	return mcpgo.Replace(s.MCPServer, tools...)
}
func (s mcpgoServer) Verify() error                    { return mcpgo.Verify(s.MCPServer) }
func (s mcpgoServer) ToolsOf() []*contract.Tool        { return mcpgo.ToolsOf(s.MCPServer) }
func (s mcpgoServer) HandlerOf() (http.Handler, error) { return mcpgo.HandlerOf(s.MCPServer) }
func (s mcpgoServer) ServeStdioServer() error          { return mcpgo.ServeStdioServer(s.MCPServer) }

func mcpgoTool(d definition) mcp.Tool {
	tool := mcp.Tool{Name: d.name, Title: d.title, Description: d.description, RawInputSchema: json.RawMessage(objectOr(d.input)),
		Annotations: mcp.ToolAnnotation{ReadOnlyHint: d.readOnly, DestructiveHint: d.destructive, IdempotentHint: d.idempotent,
			OpenWorldHint: d.open}}
	if d.output != "" {
		tool.RawOutputSchema = json.RawMessage(d.output)
	}
	if d.icon != "" {
		tool.Icons = []mcp.Icon{{Src: d.icon}}
	}
	if d.meta != nil {
		tool.Meta = mcp.NewMetaFromMap(d.meta)
	}
	return tool
}

func mcpgoHandler(h handler) mcpserver.ToolHandlerFunc {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in := request{name: r.Params.Name, arguments: string(r.Params.RawArguments), header: r.Header,
			state: r.Params.RequestState, responses: len(r.Params.InputResponses)}
		if m := r.Params.Meta; m != nil {
			in.progressToken, in.meta = m.ProgressToken, m.AdditionalFields
		}
		in.response = func(name string) *answer {
			given := mcpserver.ElicitationResponse(r.Params.InputResponses, name)
			if given == nil {
				return nil
			}
			a := mcpgoAnswer(given.ElicitationResponse)
			return &a
		}
		in.ask = mcpgoAsk
		out, err := h(ctx, in)
		if out == nil {
			return nil, err
		}
		return mcpgoResult(*out), err
	}
}

func mcpgoAsk(ctx context.Context, f form) (answer, error) {
	given, err := mcpserver.ServerFromContext(ctx).RequestElicitation(ctx, mcp.ElicitationRequest{
		Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: mcpgoForm(f)})
	if err != nil {
		return answer{}, err
	}
	return mcpgoAnswer(given.ElicitationResponse), nil
}

func mcpgoForm(f form) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: f.message, RequestedSchema: f.schema()}
}

func mcpgoAnswer(r mcp.ElicitationResponse) answer {
	content, _ := r.Content.(map[string]any)
	return answer{string(r.Action), content}
}

func mcpgoResult(r result) *mcp.CallToolResult {
	if r.asks != nil {
		asking := mcpserver.NewInputRequestBuilder(r.state)
		for name, f := range r.asks {
			asking.Elicit(name, mcpgoForm(f))
		}
		return asking.ToolResult()
	}
	out := &mcp.CallToolResult{StructuredContent: r.structured, IsError: r.isError}
	out.RequestState = r.state
	if raw, ok := r.structured.(json.RawMessage); ok {
		out.StructuredContent, out.RawStructuredContent = nil, raw
	}
	if r.text != "" {
		out.Content = []mcp.Content{mcp.NewTextContent(r.text)}
	}
	if r.afterImage != "" {
		out.Content = append(out.Content, mcp.NewImageContent("AQ==", "image/png"), mcp.NewTextContent(r.afterImage))
	}
	if r.meta != nil {
		out.Meta = mcp.NewMetaFromMap(r.meta)
	}
	return out
}

// Client sets no time limit on discovering the era, because a slow server would
// count as one of the older era.
func (mcpgoSDK) Client(t *testing.T, to endpoint, e era, p *person) client {
	t.Helper()
	var over transport.Interface
	if to.env != nil {
		over = transport.NewStdio(os.Args[0], append(os.Environ(), to.env...))
	} else {
		var headers []transport.StreamableHTTPCOption
		if to.token != "" {
			headers = append(headers, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + to.token}))
		}
		if p != nil && p.writes != nil && e == legacy { // mcp-go's server samples on no other stream
			headers = append(headers, transport.WithContinuousListening()) //nolint:staticcheck // for older clients
		}
		var err error
		over, err = transport.NewStreamableHTTP(to.url, headers...)
		require.NoError(t, err)
	}
	opts := []mcpclient.ClientOption{mcpclient.WithProtocolVersion(string(e)), mcpclient.WithDiscoverTimeout(-1)}
	if p != nil {
		opts = append(opts, mcpclient.WithElicitationHandler(mcpgoPerson{p}))
		if p.writes != nil {
			opts = append(opts, mcpclient.WithSamplingHandler(mcpgoPerson{p}))
		}
		if p.forms || p.pages {
			can := &mcp.ElicitationCapability{}
			if p.forms {
				can.Form = &struct{}{}
			}
			if p.pages {
				can.URL = &struct{}{}
			}
			opts = append(opts, mcpclient.WithClientCapabilities(mcp.ClientCapabilities{Elicitation: can}))
		}
	}
	c := mcpclient.NewClient(over, opts...)
	require.NoError(t, c.Start(t.Context()))
	t.Cleanup(func() { _ = c.Close() })
	_, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: string(e), ClientInfo: mcp.Implementation{Name: "test", Version: "1"},
	}})
	require.NoError(t, err)
	require.Equal(t, string(e), c.ProtocolVersion())
	return mcpgoClient{c}
}

type mcpgoPerson struct{ *person }

func (p mcpgoPerson) Elicit(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	a := p.answer(ctx, question{r.Params.Mode, r.Params.Message, r.Params.URL, r.Params.ElicitationID, r.Params.RequestedSchema})
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseAction(a.action), Content: a.content}}, nil
}

func (p mcpgoPerson) CreateMessage(_ context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	var content struct{ Text string } // read from JSON, because its type depends on the era
	raw, err := json.Marshal(r.Messages[0].Content)
	if err == nil {
		err = json.Unmarshal(raw, &content)
	}
	if err != nil {
		return nil, err
	}
	return &mcp.CreateMessageResult{Model: "test", SamplingMessage: mcp.SamplingMessage{Role: "assistant",
		Content: mcp.NewTextContent(p.writes(content.Text, r.MaxTokens))}}, nil
}

type mcpgoClient struct{ *mcpclient.Client }

func (c mcpgoClient) Names(t *testing.T) []string {
	t.Helper()
	listed, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	require.NoError(t, err)
	names := make([]string, len(listed.Tools))
	for i, tool := range listed.Tools {
		names[i] = tool.Name
	}
	return names
}

func (c mcpgoClient) Beside(t *testing.T) []string {
	t.Helper()
	resources, err := c.ListResources(t.Context(), mcp.ListResourcesRequest{})
	require.NoError(t, err)
	read, err := c.ReadResource(t.Context(), mcp.ReadResourceRequest{
		Params: mcp.ReadResourceParams{URI: resources.Resources[0].URI},
	})
	require.NoError(t, err)
	prompts, err := c.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
	require.NoError(t, err)
	name := prompts.Prompts[0].Name
	prompt, err := c.GetPrompt(t.Context(), mcp.GetPromptRequest{
		Params: mcp.GetPromptParams{Name: name, Arguments: map[string]string{"name": "Anna"}},
	})
	require.NoError(t, err)
	completed, err := c.Complete(t.Context(), mcp.CompleteRequest{Params: mcp.CompleteParams{
		Ref: mcp.PromptReference{Type: "ref/prompt", Name: name}, Argument: mcp.CompleteArgument{Name: "name", Value: "A"},
	}})
	require.NoError(t, err)
	content, ok := mcp.AsTextResourceContents(read.Contents[0])
	require.True(t, ok)
	text, ok := mcp.AsTextContent(prompt.Messages[0].Content)
	require.True(t, ok)
	return []string{content.Text, text.Text, completed.Completion.Values[0]}
}

func (c mcpgoClient) Call(ctx context.Context, tool string, arguments any) (string, error) {
	return response(c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: arguments}}))
}
