package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
)

// ask sends the same message again and again to a server of mcp-go, in a
// session of the process, from its bytes to the bytes of the answer.
func ask(s *server.MCPServer, next func() []byte, check func([]byte) error) (func() error, error) {
	session := server.NewInProcessSession("bench", nil)
	ctx := s.WithContext(context.Background(), session)
	if err := s.RegisterSession(ctx, session); err != nil {
		return nil, err
	}
	s.HandleMessage(ctx, []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`))
	call := func() ([]byte, error) { return json.Marshal(s.HandleMessage(ctx, next())) }
	answer, err := call()
	if err == nil {
		err = check(answer)
	}
	return func() error {
		_, err := call()
		return err
	}, err
}

// same returns a function that always returns the same message.
func same(message []byte) func() []byte { return func() []byte { return message } }

// A plain server has the tool in one of mcp-go's own ways.
type plain struct {
	handler server.ToolHandlerFunc
	options []server.ServerOption
}

// serve returns a server with the tool and its schemas under each name.
func (p plain) serve(names ...string) (*server.MCPServer, error) {
	t, err := orders(toolName).Build()
	if err != nil {
		return nil, err
	}
	doc := t.Document()
	s := server.NewMCPServer("bench", "1.0.0", p.options...)
	for _, name := range names {
		tool := mcp.NewToolWithRawSchema(name, doc.Description, doc.InputSchema)
		tool.RawOutputSchema = doc.OutputSchema
		s.AddTool(tool, p.handler)
	}
	return s, nil
}

// bare reads the arguments and writes the result with encoding/json, as a
// handler does without help of an SDK.
func bare(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in orderIn
	if err := json.Unmarshal(req.Params.RawArguments, &in); err != nil {
		return nil, err
	}
	out, err := order(ctx, in)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(text))}, RawStructuredContent: text}, nil
}

var (
	typed = mcp.NewStructuredToolHandler(func(ctx context.Context, _ mcp.CallToolRequest, in orderIn) (orderOut, error) {
		return order(ctx, in)
	})
	mcpgoBare      = plain{handler: bare}
	mcpgoTyped     = plain{handler: typed}
	mcpgoValidated = plain{handler: typed, options: []server.ServerOption{
		server.WithInputSchemaValidation(), server.WithOutputSchemaValidation(), server.WithRecovery(),
	}}
)

func (p plain) variant(name string, message []byte, check func([]byte) error) variant {
	return variant{name: name, open: func() (func() error, func(), error) {
		s, err := p.serve(toolName)
		if err != nil {
			return nil, nil, err
		}
		op, err := ask(s, same(message), check)
		return op, func() {}, err
	}}
}

// newGuard returns a guard with every control on: the local user as principal,
// rate limits, the retry budget, and an audit log that is discarded.
func newGuard(opts ...guard.Option) (*guard.Guard, func(), error) {
	discard := audit.Func(func(context.Context, audit.Event) error { return nil })
	g, err := guard.New(append([]guard.Option{
		guard.WithPrincipal(mcpgo.LocalUser(permission)), guard.WithAudit(discard),
	}, opts...)...)
	if err != nil {
		return nil, nil, err
	}
	return g, func() { _ = g.Close(context.Background()) }, nil
}

// guarded returns a variant of a tool behind a guard.
func guarded(name string, build func() (*contract.Tool, error), next func() []byte, check func([]byte) error) variant {
	return variant{name: name, open: func() (func() error, func(), error) {
		t, err := build()
		if err != nil {
			return nil, nil, err
		}
		g, end, err := newGuard()
		if err != nil {
			return nil, nil, err
		}
		s, err := mcpgo.NewServer("bench", "1.0.0", g, mcpgo.WithTools(t))
		if err != nil {
			return nil, nil, err
		}
		op, err := ask(s, next, check)
		return op, end, err
	}}
}

func full() (*contract.Tool, error) { return orders(toolName).Build() }

// keyed returns messages that each have another idempotency key.
func keyed() func() []byte {
	n := 0
	return func() []byte {
		n++
		return messageOf(toolName, validArguments, fmt.Sprintf(`,"_meta":{%q:"k-%d"}`, contract.MetaKeyIdempotencyKey, n))
	}
}
