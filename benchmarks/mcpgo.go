package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// ask sends the same message again and again to a server of mcp-go, in a
// session of the process, from its bytes to the bytes of the answer.
func ask(s *server.MCPServer, next func() []byte, check func([]byte) error) (func() error, error) {
	ctx, err := joined(s)
	if err != nil {
		return nil, err
	}
	call := func() ([]byte, error) { return json.Marshal(s.HandleMessage(ctx, next())) }
	answer, err := call()
	if err == nil {
		err = check(answer)
	}
	var calls atomic.Int64
	return func() error {
		answer, err := call()
		if err == nil && calls.Add(1)%checkEvery == 0 {
			err = check(answer)
		}
		return err
	}, err
}

// checkEvery is how many calls are timed for each answer that is checked.
const checkEvery = 1000

// joined returns the context of a session of a server that is initialized.
func joined(s *server.MCPServer) (context.Context, error) {
	session := server.NewInProcessSession("bench", nil)
	ctx := s.WithContext(context.Background(), session)
	if err := s.RegisterSession(ctx, session); err != nil {
		return nil, err
	}
	s.HandleMessage(ctx, initialize)
	return ctx, nil
}

// same returns a function that always returns the same message.
func same(message []byte) func() []byte { return func() []byte { return message } }

// A plain server has the tool in one of mcp-go's own ways.
type plain struct {
	handler   server.ToolHandlerFunc
	options   []server.ServerOption
	annotated bool // with the hints of the tool's contract
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
		if hints := doc.Hints(); p.annotated {
			tool.Annotations = mcp.ToolAnnotation{
				ReadOnlyHint: &hints.ReadOnly, DestructiveHint: &hints.Destructive, IdempotentHint: &hints.Idempotent,
				OpenWorldHint: &hints.OpenWorld,
			}
		}
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
	mcpgoAnnotated = plain{handler: bare, annotated: true}
	mcpgoValidated = plain{handler: typed, options: []server.ServerOption{
		server.WithInputSchemaValidation(), server.WithOutputSchemaValidation(), server.WithRecovery(),
	}}
)

func (p plain) variant(name string, message []byte, check func([]byte) error) variant {
	return p.variantOf(name, same(message), check)
}

func (p plain) variantOf(name string, next func() []byte, check func([]byte) error) variant {
	return variant{name: name, open: func() (func() error, func(), error) {
		s, err := p.serve(toolName)
		if err != nil {
			return nil, nil, err
		}
		op, err := ask(s, next, check)
		return op, func() {}, err
	}}
}

// discarded is the option of a guard whose audit log is discarded.
func discarded() guard.Option {
	return guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return nil }))
}

// newGuard returns a guard with every control on: the local user as principal,
// rate limits, and the retry budget. The options have its audit log.
func newGuard(opts ...guard.Option) (*guard.Guard, func(), error) {
	g, err := guard.New(append([]guard.Option{guard.WithPrincipal(mcpgo.LocalUser(permission))}, opts...)...)
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
		s, end, err := serve(t, discarded())
		if err != nil {
			return nil, nil, err
		}
		op, err := ask(s, next, check)
		return op, end, err
	}}
}

// guardedWith returns a variant of a tool behind a guard with more options,
// which come with what ends them.
func guardedWith(name string, build func() (*contract.Tool, error), next func() []byte,
	options func() ([]guard.Option, func(), error)) variant {
	return variant{name: name, open: func() (func() error, func(), error) {
		t, err := build()
		if err != nil {
			return nil, nil, err
		}
		opts, endOptions, err := options()
		if err != nil {
			return nil, nil, err
		}
		s, endGuard, err := serve(t, opts...)
		if err != nil {
			endOptions()
			return nil, nil, err
		}
		op, err := ask(s, next, checkOrder)
		return op, func() { endGuard(); endOptions() }, err
	}}
}

// serve returns a server of one tool behind a guard.
func serve(t *contract.Tool, opts ...guard.Option) (*server.MCPServer, func(), error) {
	g, end, err := newGuard(opts...)
	if err != nil {
		return nil, nil, err
	}
	s, err := mcpgo.NewServer("bench", "1.0.0", g, mcpgo.WithTools(t))
	return s, end, err
}

func full() (*contract.Tool, error) { return orders(toolName).Build() }

// keyed returns a function whose every message has another idempotency key. It
// reuses the memory of the message, because it runs in the measured time.
func keyed() func() []byte {
	whole := messageOf(toolName, validArguments, `,"_meta":{"`+contract.MetaKeyIdempotencyKey+`":"k-#"}`)
	before, after, _ := bytes.Cut(whole, []byte("#"))
	var message []byte
	n := int64(0)
	return func() []byte {
		n++
		message = append(strconv.AppendInt(append(message[:0], before...), n, 10), after...)
		return message
	}
}
