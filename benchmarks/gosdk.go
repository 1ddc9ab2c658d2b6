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
	session, err := s.Connect(ctx, gosdk.LocalTransport(&mcp.IOTransport{Reader: fromClient, Writer: toClient}), nil)
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

// gosdkTyped has the tool under each name as a typed tool, which the SDK
// validates in both directions.
func gosdkTyped(names ...string) (*mcp.Server, error) {
	in, out, description, err := gosdkSchemas()
	if err != nil {
		return nil, err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	addTyped(s, in, out, description, names)
	return s, nil
}

// gosdkSchemas returns the tool's schemas and its description.
func gosdkSchemas() (in, out *jsonschema.Schema, description string, err error) {
	t, err := full()
	if err != nil {
		return nil, nil, "", err
	}
	doc := t.Document()
	in, out = &jsonschema.Schema{}, &jsonschema.Schema{}
	return in, out, doc.Description, errors.Join(json.Unmarshal(doc.InputSchema, in), json.Unmarshal(doc.OutputSchema, out))
}

func addTyped(s *mcp.Server, in, out *jsonschema.Schema, description string, names []string) {
	for _, name := range names {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: description, InputSchema: in, OutputSchema: out},
			func(ctx context.Context, _ *mcp.CallToolRequest, in orderIn) (*mcp.CallToolResult, orderOut, error) {
				out, err := order(ctx, in)
				return nil, out, err
			})
	}
}

// gosdkBare has the tool under each name as a raw handler.
func gosdkBare(names ...string) (*mcp.Server, error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	for _, name := range names {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, gosdkHandler)
	}
	return s, nil
}

func gosdkHandler(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
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
}

// ownPrincipal is a principal function of the server's author, which may block.
var ownPrincipal = guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
	return guard.Principal{Issuer: "bench", Subject: "bench", Permissions: []string{permission}}, nil
})

// gosdkGuarded returns a server that has the tool under each name behind a
// guard, on the adapter of the SDK.
func gosdkGuarded(principal guard.PrincipalSource) serveGosdk {
	return func(names ...string) (*mcp.Server, func(), error) {
		tools, err := built(names)
		if err != nil {
			return nil, nil, err
		}
		g, end, err := newGuard(discarded(), guard.WithPrincipal(principal))
		if err != nil {
			return nil, nil, err
		}
		s, err := gosdk.NewServer("bench", "1.0.0", g, gosdk.WithTools(tools...))
		return s, end, err
	}
}

// A serveGosdk returns a server with the tool under each name, and what ends
// its guard.
type serveGosdk func(names ...string) (*mcp.Server, func(), error)

// unguarded returns a server without a guard as one that ends by itself.
func unguarded(serve func(names ...string) (*mcp.Server, error)) serveGosdk {
	return func(names ...string) (*mcp.Server, func(), error) {
		s, err := serve(names...)
		return s, func() {}, err
	}
}

// overGosdk calls the tool in the middle of the names.
func overGosdk(name string, serve serveGosdk, names ...string) variant {
	return variant{name: name, open: func() (func() error, func(), error) {
		s, endServer, err := serve(names...)
		if err != nil {
			return nil, nil, err
		}
		op, endPipe, err := askOverPipe(s, messageOf(names[len(names)/2], validArguments, ""), checkOrder)
		return op, func() { endPipe(); endServer() }, err
	}}
}

// gosdkToolCounts are the sizes of servers whose calls are compared. The SDK
// has no function that looks up one tool.
var gosdkToolCounts = []int{1, 30, 300, 1000}

// gosdkGroup has one valid call on the official SDK, in each of its ways, in
// processor time.
func gosdkGroup() group {
	one := names(1)
	return inProcessorTime(group{name: "gosdk", batch: steadyBatch, variants: []variant{
		overGosdk("gosdk_1_bare", unguarded(gosdkBare), one...),
		overGosdk("gosdk_1_typed", unguarded(gosdkTyped), one...),
		overGosdk("gosdk_1_full", gosdkGuarded(ownPrincipal), one...),
		overGosdk("gosdk_1_local_user", gosdkGuarded(gosdk.LocalUser(permission)), one...),
	}})
}

// gosdkToolsGroup has the same on servers of many tools. Their heap is large, so
// the garbage of a batch is collected within it only if the batch is long.
func gosdkToolsGroup() group {
	g := group{name: "gosdk_tools", batch: 4 * steadyBatch}
	for _, n := range gosdkToolCounts[1:] {
		g.variants = append(g.variants,
			overGosdk(fmt.Sprintf("gosdk_%d_typed", n), unguarded(gosdkTyped), names(n)...),
			overGosdk(fmt.Sprintf("gosdk_%d_full", n), gosdkGuarded(ownPrincipal), names(n)...))
	}
	return inProcessorTime(g)
}
