package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/agent/client"
)

func ExampleClient() {
	s := server.NewMCPServer("calc", "1.0.0")
	s.AddTool(mcp.NewTool("answer"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("42"), nil
	})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	defer web.Close()

	c := client.New(client.HTTP{URL: web.URL + "/mcp", Header: http.Header{"Authorization": {"Bearer token"}}})
	defer c.Close()
	list, err := c.ListTools(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(list.Tools), list.Version)
	// Output:
	// 1 2026-07-28
}

func ExampleCommand() {
	server := client.New(client.Command{Path: "/usr/local/bin/no-such-server", Args: []string{"-quiet"}})
	defer server.Close()
	_, err := server.Call(context.Background(), client.CallParams{Name: "answer"})
	fmt.Println(errors.Is(err, client.ErrUnsent))
	// Output:
	// true
}

// A host that can show forms and open pages answers the questions of older
// servers. Those of newer servers are results of their calls.
func ExamplePerson() {
	person := client.Person{Form: true, URL: true, Elicit: func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"action":"decline"}`), nil
	}}
	_, err := client.New(client.Command{Path: "/usr/local/bin/no-such-server"}).Dial(context.Background(), person)
	fmt.Println(errors.Is(err, client.ErrUnsent))
	// Output:
	// false
}
