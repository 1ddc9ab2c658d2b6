package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The two methods of MCP that concern tools, without an SDK.
func ExampleTable() {
	type note struct {
		Text string `json:"text" jsonschema:"maxLength=100"`
	}
	write := contract.New("notes.write", func(_ context.Context, in note) (string, error) {
		return "wrote " + in.Text, nil
	}).Description("Writes a note.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("notes:write").MustBuild()

	verify := func(_ context.Context, token string) (guard.Principal, error) {
		if token != "alice" {
			return guard.Principal{}, errors.New("unknown token")
		}
		return guard.Principal{Issuer: "example", Subject: "alice", Permissions: []string{"notes:write"}}, nil
	}
	g, err := guard.New(guard.WithPrincipal(adapter.Bearer(verify)), guard.WithAudit(&audit.Recorder{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{write}, Server: "notes"})
	if err != nil {
		fmt.Println(err)
		return
	}

	list := func(ctx context.Context) (tools []adapter.Definition) {
		isListed := t.Lists(ctx)
		for _, e := range t.Entries() {
			if isListed(e) {
				tools = append(tools, e.Definition())
			}
		}
		return tools
	}
	call := func(ctx context.Context, name, arguments string) (*adapter.CallResult, error) {
		e := t.Entry(name)
		if e == nil {
			t.Unknown(ctx, name)
			return nil, guard.ErrUnknownTool
		}
		return t.Call(ctx, e, adapter.Request{Arguments: json.RawMessage(arguments)})
	}

	ctx := context.Background()
	alice := adapter.WithCaller(ctx, adapter.Caller{Header: http.Header{"Authorization": {"Bearer alice"}}})
	fmt.Println(len(list(ctx)), len(list(alice)), list(alice)[0].Name)

	answer, err := call(alice, "notes_write", `{"text":"hello"}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer.Meta = nil // it has the outcome, with the id of the call
	raw, err := json.Marshal(answer)
	fmt.Println(string(raw), err)

	answer, err = call(ctx, "notes_write", `{"text":"hello"}`)
	fmt.Println(answer.Outcome.Code, err)
	_, err = call(alice, "notes_delete", `{}`)
	fmt.Println(err)
	// Output:
	// 0 1 notes_write
	// {"content":[{"type":"text","text":"wrote hello"}]} <nil>
	// unauthenticated <nil>
	// guard: unknown tool
}

// A tool that was written for an SDK, as JSON, gets a contract.
func ExampleWrap() {
	var d adapter.Definition
	err := json.Unmarshal([]byte(`{
		"name": "add", "description": "Adds two numbers.",
		"inputSchema": {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"additionalProperties":false}
	}`), &d)
	if err != nil {
		fmt.Println(err)
		return
	}
	add := func(_ context.Context, call adapter.HandlerCall) (*adapter.HandlerResult, error) {
		var in struct{ A, B int64 }
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return nil, adapter.Refusal(contract.CodeInvalidInput, err)
		}
		return &adapter.HandlerResult{Content: []contract.Content{contract.TextContent{Text: fmt.Sprint(in.A + in.B)}}}, nil
	}
	tool, err := adapter.Wrap(d, add, adapter.WrapConfig{Integers: adapter.Int64Integers}).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := adapter.NewTable(nil, adapter.Config{Tools: []*contract.Tool{tool}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arguments := range []string{`{"a":9007199254740993,"b":1}`, `{"a":1,"B":2}`} {
		answer, err := t.Call(context.Background(), t.Entry("add"), adapter.Request{Arguments: json.RawMessage(arguments)})
		fmt.Println(answer.Content[0].(contract.TextContent).Text, err)
	}
	// Output:
	// 9007199254740994 <nil>
	// invalid_input: the arguments do not fit the input schema
	// - /B: is not a known property; known: a, b (did you mean "b"?) <nil>
}

// An adapter wraps every tool that its SDK has by the rules of the server
// author.
func ExampleWrapper() {
	yes := true
	rules := wrap.Rules{Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted, Permissions: []string{"files:use"}}}
	w := adapter.NewWrapper(rules, adapter.Config{})
	report := &wrap.Report{}
	for _, d := range []adapter.Definition{
		{Name: "search", Description: "Searches.", InputSchema: json.RawMessage(`{"type":"object"}`),
			Annotations: adapter.ToolAnnotations{ReadOnlyHint: &yes}},
		{Name: "delete", Description: "Deletes.", InputSchema: json.RawMessage(`{"type":"object"}`)},
	} {
		handler := func(context.Context, adapter.HandlerCall) (*adapter.HandlerResult, error) {
			return &adapter.HandlerResult{}, nil
		}
		report.Tools = append(report.Tools, w.Wrap(d, func(opts []wrap.Option) *wrap.Builder {
			c, _ := adapter.WrapConfigOf[func() error](opts) // the type of its error mapper
			return adapter.Wrap(d, handler, c)
		}))
	}
	err := w.Check(report) // sorts it
	for _, t := range report.Tools {
		fmt.Println(t.Name, t.Guesses)
	}
	fmt.Println(len(report.Contracts()), err)
	// Output:
	// delete [effect destructive, because there is no hint]
	// search [effect read-only, from readOnlyHint]
	// 2 <nil>
}
