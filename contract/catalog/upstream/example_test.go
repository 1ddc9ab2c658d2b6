package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/catalog/upstream"
)

func ExampleClient() {
	s := server.NewMCPServer("calc", "1.0.0")
	s.AddTool(mcp.NewTool("answer"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("42"), nil
	})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	defer web.Close()

	client := upstream.New(upstream.HTTP{URL: web.URL + "/mcp", Header: http.Header{"Authorization": {"Bearer token"}}})
	defer client.Close()
	list, err := client.ListTools(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(list.Tools), list.Version)
	// Output:
	// 1 2026-07-28
}

func ExampleCommand() {
	client := upstream.New(upstream.Command{Path: "/usr/local/bin/no-such-server", Args: []string{"-quiet"}})
	defer client.Close()
	_, err := client.Call(context.Background(), "answer", map[string]any{"arguments": map[string]any{}})
	fmt.Println(errors.Is(err, upstream.ErrUnavailable))
	// Output:
	// true
}
