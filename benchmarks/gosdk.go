package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
)

// askOverPipe sends the same message again and again to a server of the
// official SDK, which works only behind a transport: lines over pipes in the
// process. The pipes cost all variants the same.
func askOverPipe(s *mcp.Server, message []byte, check func([]byte) error) (op func() error, end func(), err error) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	session, err := s.Connect(ctx, &mcp.IOTransport{Reader: fromClient, Writer: toClient}, nil)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	end = func() {
		_ = toServer.Close()
		_ = fromServer.Close()
		_ = session.Close()
		cancel()
	}
	lines := bufio.NewReaderSize(fromServer, 64<<10)
	send := func(m []byte) ([]byte, error) {
		if _, err := toServer.Write(append(bytes.Clone(m), '\n')); err != nil {
			return nil, err
		}
		return lines.ReadBytes('\n')
	}
	if _, err := send(initialize); err != nil {
		return nil, end, err
	}
	if _, err := toServer.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")); err != nil {
		return nil, end, err
	}
	answer, err := send(message)
	if err == nil {
		err = check(answer)
	}
	return func() error {
		_, err := send(message)
		return err
	}, end, err
}

// gosdkTyped has the tool as a typed tool, which the SDK validates in both
// directions.
func gosdkTyped() (*mcp.Server, error) {
	t, err := orders(toolName).Build()
	if err != nil {
		return nil, err
	}
	doc := t.Document()
	var in, out jsonschema.Schema
	if err := errors.Join(json.Unmarshal(doc.InputSchema, &in), json.Unmarshal(doc.OutputSchema, &out)); err != nil {
		return nil, err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: toolName, Description: doc.Description, InputSchema: &in, OutputSchema: &out},
		func(ctx context.Context, _ *mcp.CallToolRequest, in orderIn) (*mcp.CallToolResult, orderOut, error) {
			out, err := order(ctx, in)
			return nil, out, err
		})
	return s, nil
}

// gosdkBare has the tool as a raw handler.
func gosdkBare() (*mcp.Server, error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	s.AddTool(&mcp.Tool{Name: toolName, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in orderIn
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			out, err := order(ctx, in)
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(out)
			if err != nil {
				return nil, fmt.Errorf("marshal: %w", err)
			}
			return &mcp.CallToolResult{
				Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text),
			}, nil
		})
	return s, nil
}

// gosdkGuarded has the tool behind a guard, on the adapter of the SDK.
func gosdkGuarded() (*mcp.Server, func(), error) {
	t, err := full()
	if err != nil {
		return nil, nil, err
	}
	// A pipe in the process is no transport of a local user.
	g, end, err := newGuard(discarded(), guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
		return guard.Principal{Issuer: "bench", Subject: "bench", Permissions: []string{permission}}, nil
	})))
	if err != nil {
		return nil, nil, err
	}
	s, err := gosdk.NewServer("bench", "1.0.0", g, gosdk.WithTools(t))
	return s, end, err
}

// unguarded returns a server without a guard as one that ends by itself.
func unguarded(serve func() (*mcp.Server, error)) func() (*mcp.Server, func(), error) {
	return func() (*mcp.Server, func(), error) {
		s, err := serve()
		return s, func() {}, err
	}
}

func overGosdk(name string, serve func() (*mcp.Server, func(), error)) variant {
	return variant{name: name, open: func() (func() error, func(), error) {
		s, endServer, err := serve()
		if err != nil {
			return nil, nil, err
		}
		op, endPipe, err := askOverPipe(s, message(validArguments), checkOrder)
		return op, func() { endPipe(); endServer() }, err
	}}
}
