package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve"
	"github.com/toolcontract/toolcontract/trust"
)

type SearchIn struct {
	Query string `json:"query"`
}

type SearchOut struct {
	Subjects []string `json:"subjects"`
}

func search(context.Context, SearchIn) (SearchOut, error) {
	return SearchOut{Subjects: []string{"Noon?"}}, nil
}

var Search = contract.New("mail.search", search).
	Description("Searches the mailbox.").Version("1.0.0").
	Effect(risk.ReadOnly).Trust(trust.Untrusted).Permissions("mail:read").MustBuild()

// A program that serves its user over standard input and output.
func ExampleServeStdio() {
	g, err := guard.New(guard.WithPrincipal(gosdk.LocalUser("mail:read")))
	if err != nil {
		log.Fatal(err)
	}
	if err := gosdk.ServeStdio("mail", "1.0.0", g, gosdk.WithTools(Search)); err != nil {
		log.Fatal(err)
	}
}

// A program that serves many users over HTTP.
func ExampleNewHandler() {
	verify := func(context.Context, string) (guard.Principal, error) {
		return guard.Principal{}, errors.New("check the token here")
	}
	g, err := guard.New(guard.WithPrincipal(gosdk.Bearer(verify)))
	if err != nil {
		log.Fatal(err)
	}
	h, err := gosdk.NewHandler("mail", "1.0.0", g, gosdk.WithTools(Search))
	if err != nil {
		log.Fatal(err)
	}
	web, err := serve.Listen("127.0.0.1:8080", serve.Config{})
	if err != nil {
		log.Fatal(err)
	}
	web.Handle("/mcp", h)
	if err := web.Serve(context.Background(), g); err != nil {
		log.Fatal(err)
	}
}

// A program whose tokens the SDK verifies, with a server for each request.
func ExampleTable() {
	g, err := guard.New(guard.WithPrincipal(gosdk.TokenInfo(func(_ context.Context, t *auth.TokenInfo) (guard.Principal, error) {
		return guard.Principal{Issuer: "https://login.example.com", Subject: t.UserID, Permissions: t.Scopes}, nil
	})))
	if err != nil {
		log.Fatal(err)
	}
	table, err := gosdk.NewTable("mail", "1.0.0", g, gosdk.WithTools(Search))
	if err != nil {
		log.Fatal(err)
	}
	endpoint := table.Handler(func(r *http.Request) *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "mail", Version: "1.0.0"}, nil)
		if err := table.Register(s); err != nil {
			return nil
		}
		return s
	})
	verify := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
		return nil, auth.ErrInvalidToken
	}
	http.Handle("/mcp", auth.RequireBearerToken(verify, nil)(endpoint))
}

// connectedTo returns a client of a server in this process.
func connectedTo(ctx context.Context, s *mcp.Server) (*mcp.ClientSession, error) {
	here, there := mcp.NewInMemoryTransports()
	if _, err := s.Connect(ctx, gosdk.LocalTransport(there), nil); err != nil {
		return nil, err
	}
	return mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1.0.0"}, nil).Connect(ctx, here, nil)
}

// silent drops the audit log, which would go to standard error.
func silent() guard.Option { return guard.WithAudit(&audit.Recorder{}) }

// A server that exists already gets one tool with a contract.
func ExampleRegister() {
	ctx := context.Background()
	s := mcp.NewServer(&mcp.Implementation{Name: "mail", Version: "1.0.0"}, nil)
	s.AddTool(&mcp.Tool{Name: "old", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context,
		*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
	g, err := guard.New(guard.WithPrincipal(gosdk.LocalUser("mail:read")), silent())
	if err != nil {
		log.Fatal(err)
	}
	if err := gosdk.Register(s, g, gosdk.WithTools(Search)); err != nil {
		log.Fatal(err)
	}
	client, err := connectedTo(ctx, s)
	if err != nil {
		log.Fatal(err)
	}
	listed, err := client.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range listed.Tools {
		fmt.Println(t.Name)
	}
	// Output:
	// mail_search
	// old
}

// A typed handler as for mcp.AddTool, which a person must approve.
func ExampleAddTool() {
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	g, err := guard.New(guard.WithPrincipal(gosdk.LocalUser("orders:write")), silent())
	if err != nil {
		log.Fatal(err)
	}
	type order struct {
		ID string `json:"id" jsonschema:"the order"`
	}
	cancel := func(context.Context, *mcp.CallToolRequest, order) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	}
	err = gosdk.AddTool(s, g, &mcp.Tool{Name: "cancel_order", Description: "Cancels an order."}, cancel,
		contract.Base{Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(gosdk.ToolsOf(s)[0].Document().Confirmation)
	// Output: always
}

// A handler of Server.AddTool gets a contract.
func ExampleWrap() {
	tool := &mcp.Tool{Name: "ping", Description: "Answers.", InputSchema: json.RawMessage(`{"type":"object"}`)}
	handler := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "pong"}}}, nil
	}
	ping, err := gosdk.Wrap(tool, handler).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ping.Name(), ping.Document().Effect)
	// Output: ping read-only
}

// A typed handler of mcp.AddTool gets a contract, and its schemas stay.
func ExampleWrapFor() {
	type in struct {
		City string `json:"city" jsonschema:"the city"`
	}
	type out struct {
		Degrees int `json:"degrees"`
	}
	handler := func(_ context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, out, error) {
		return nil, out{len(in.City)}, nil
	}
	weather, err := gosdk.WrapFor(&mcp.Tool{Name: "weather", Description: "Measures the temperature."}, handler).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(weather.Document().OutputSchema))
	// Output: {"type":"object","properties":{"degrees":{"type":"integer"}},"required":["degrees"],"additionalProperties":false}
}

// All tools of an existing server get contracts at once.
func ExampleWrapAll() {
	ctx := context.Background()
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	type in struct {
		ID string `json:"id"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "find_order", Description: "Finds an order.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "order " + in.ID}}}, nil, nil
		})
	g, err := guard.New(guard.WithPrincipal(gosdk.LocalUser("orders:use")), silent())
	if err != nil {
		log.Fatal(err)
	}
	report, err := gosdk.WrapAll(s, g, wrap.Rules{Base: contract.Base{
		Version:     "1.0.0",
		Trust:       trust.Trusted,
		Permissions: []string{"orders:use"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Tools[0].Guesses[0])
	client, err := connectedTo(ctx, s)
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "find_order", Arguments: in{ID: "7"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range result.Content {
		if text, ok := item.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	// Output:
	// effect read-only, from readOnlyHint
	// order 7
}

// A tool publishes its clauses before it is enforced.
func ExampleAnnotate() {
	tool := &mcp.Tool{Name: "cancel_order", Description: "Cancels an order."}
	if err := gosdk.Annotate(tool, contract.Base{Version: "1.0.0", Effect: risk.HighRiskWrite}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(tool.Annotations.ReadOnlyHint, *tool.Annotations.DestructiveHint)
	// Output: false true
}

// A [gosdk.SDK] stands for the functions of this package where a program names
// its SDK.
func ExampleSDK() {
	g, err := guard.New(guard.WithPrincipal(gosdk.LocalUser("mail:read")))
	if err != nil {
		log.Fatal(err)
	}
	var sdk gosdk.SDK // program.Server{SDK: gosdk.SDK{}} does what follows
	if err := sdk.ServeStdio("mail", "1.0.0", g, adapter.Config{Tools: []*contract.Tool{Search}}, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}
