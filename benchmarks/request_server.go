package main

import (
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	officialmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// requestToolCounts are the sizes of servers that are made for one request.
var requestToolCounts = []int{1, 30, 300}

// requestServerGroup makes the server that a program makes for each request,
// with all that can be made once made before: the contracts, the guard and its
// table, and of the bare SDKs the schemas, their cache and the definitions of
// the tools.
func requestServerGroup() group {
	g := group{name: "request_server", batch: steadyBatch}
	for _, n := range requestToolCounts {
		name := fmt.Sprintf("request_server_%d_", n)
		g.variants = append(g.variants,
			variant{name: name + "gosdk", open: func() (func() error, func(), error) { return requestGosdk(names(n)) }},
			variant{name: name + "gosdk_full", open: func() (func() error, func(), error) { return requestGosdkGuarded(names(n)) }},
			variant{name: name + "mcpgo", open: func() (func() error, func(), error) { return requestMCPGo(names(n)) }},
			variant{name: name + "mcpgo_full", open: func() (func() error, func(), error) { return requestMCPGoGuarded(names(n)) }})
	}
	return inProcessorTime(g)
}

// madeGosdk returns make as an operation, after it has checked that a server
// lists all names.
func madeGosdk(names []string, make func() (*officialmcp.Server, error)) (func() error, error) {
	s, err := make()
	if err != nil {
		return nil, err
	}
	_, end, err := askOverPipe(s, listMessage, checkList(len(names)))
	if end != nil {
		end()
	}
	return func() error {
		_, err := make()
		return err
	}, err
}

func requestGosdk(names []string) (func() error, func(), error) {
	in, out, description, err := gosdkSchemas()
	if err != nil {
		return nil, nil, err
	}
	options := &officialmcp.ServerOptions{SchemaCache: officialmcp.NewSchemaCache()}
	op, err := madeGosdk(names, func() (*officialmcp.Server, error) {
		s := officialmcp.NewServer(&officialmcp.Implementation{Name: "bench", Version: "1.0.0"}, options)
		addTyped(s, in, out, description, names)
		return s, nil
	})
	return op, func() {}, err
}

func requestGosdkGuarded(names []string) (func() error, func(), error) {
	tools, err := built(names)
	if err != nil {
		return nil, nil, err
	}
	g, end, err := newGuard(discarded(), guard.WithPrincipal(ownPrincipal))
	if err != nil {
		return nil, nil, err
	}
	table, err := gosdk.NewTable("bench", "1.0.0", g, gosdk.WithTools(tools...))
	if err != nil {
		return nil, end, err
	}
	op, err := madeGosdk(names, table.NewServer)
	return op, end, err
}

// madeMCPGo is madeGosdk for mcp-go.
func madeMCPGo(names []string, make func() (*server.MCPServer, error)) (func() error, error) {
	s, err := make()
	if err != nil {
		return nil, err
	}
	_, err = ask(s, same(listMessage), checkList(len(names)))
	return func() error {
		_, err := make()
		return err
	}, err
}

func requestMCPGo(names []string) (func() error, func(), error) {
	t, err := full()
	if err != nil {
		return nil, nil, err
	}
	doc := t.Document()
	tools := make([]server.ServerTool, len(names))
	for i, name := range names {
		tools[i] = server.ServerTool{Tool: mcp.NewToolWithRawSchema(name, doc.Description, doc.InputSchema), Handler: typed}
		tools[i].Tool.RawOutputSchema = doc.OutputSchema
	}
	op, err := madeMCPGo(names, func() (*server.MCPServer, error) {
		s := server.NewMCPServer("bench", "1.0.0")
		s.AddTools(tools...)
		return s, nil
	})
	return op, func() {}, err
}

func requestMCPGoGuarded(names []string) (func() error, func(), error) {
	tools, err := built(names)
	if err != nil {
		return nil, nil, err
	}
	g, end, err := newGuard(discarded())
	if err != nil {
		return nil, nil, err
	}
	table, err := mcpgo.NewTable("bench", "1.0.0", g, mcpgo.WithTools(tools...))
	if err != nil {
		end()
		return nil, nil, err
	}
	op, err := madeMCPGo(names, table.NewServer)
	return op, end, err
}
