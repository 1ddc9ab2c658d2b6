package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

// listed is the JSON form of a listed tool.
type listed struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// Contract is the contract as the server lists it. Empty: the server lists
	// none.
	Contract json.RawMessage `json:"contract,omitempty"`
	// Annotations are the hints that MCP defines.
	Annotations mcp.ToolAnnotation `json:"annotations"`
}

func inspect(flags *flag.FlagSet, t *terminal) func(context.Context, []string) (int, error) {
	headers := map[string]string{}
	flags.Func("header", "a `header` of every HTTP request, such as \"Authorization: Bearer …\"; may be repeated",
		func(text string) error {
			name, value, ok := strings.Cut(text, ":")
			if !ok {
				return errors.New("the header is not of the form NAME: VALUE")
			}
			headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
			return nil
		})
	timeout := flags.Duration("timeout", 30*time.Second, "how long to wait for the server")
	return func(ctx context.Context, args []string) (int, error) {
		c, err := dial(args, headers)
		if err != nil {
			return statusFailed, err
		}
		var copied sync.WaitGroup
		defer copied.Wait()
		defer c.Close() //nolint:errcheck // the answer is complete
		if stderr, ok := client.GetStderr(c); ok {
			copied.Go(func() { _, _ = io.Copy(t.stderr, stderr) })
		}
		ctx, cancel := context.WithTimeout(ctx, *timeout)
		defer cancel()
		tools, err := list(ctx, c)
		if err != nil {
			return statusFailed, fmt.Errorf("the tools of the server cannot be listed: %s", oneLine(err.Error()))
		}
		return statusOK, t.print(tools, table(tools))
	}
}

// dial returns a client for a URL, or for a command after "--".
func dial(args []string, headers map[string]string) (*client.Client, error) {
	switch {
	case len(args) > 1 && args[0] == "--":
		return client.NewStdioMCPClient(args[1], nil, args[2:]...)
	case len(args) == 1 && args[0] != "--":
		if !strings.HasPrefix(args[0], "http://") && !strings.HasPrefix(args[0], "https://") {
			return nil, errors.New("the URL does not start with http:// or https://; a command that serves over stdio stands after --")
		}
		c, err := client.NewStreamableHttpClient(args[0], transport.WithHTTPHeaders(headers))
		if err != nil {
			return nil, errors.New("the URL is not valid; use one such as http://127.0.0.1:8080/mcp")
		}
		return c, nil
	default:
		return nil, errUsage
	}
}

// list returns the tools of a server, sorted by name.
func list(ctx context.Context, c *client.Client) ([]listed, error) {
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	hello := mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "toolcontract", Version: "1"},
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{Params: hello}); err != nil {
		return nil, err
	}
	answer, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	tools := make([]listed, len(answer.Tools))
	for i, tool := range answer.Tools {
		tools[i] = listed{Name: tool.Name, Title: tool.Title, Annotations: tool.Annotations}
		if tool.Meta != nil {
			if shown, ok := tool.Meta.AdditionalFields[contract.MetaKeyContract]; ok {
				if tools[i].Contract, err = json.Marshal(shown); err != nil {
					return nil, err
				}
			}
		}
	}
	slices.SortFunc(tools, func(a, b listed) int { return strings.Compare(a.Name, b.Name) })
	return tools, nil
}

// table returns the contracts as a table, one tool a line.
func table(tools []listed) string {
	members := []string{"risk", "effect", "contentTrust", "confirmation", "dryRun", "version"}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOOL\tRISK\tEFFECT\tTRUST\tCONFIRMATION\tDRY RUN\tVERSION")
	uncontracted := 0
	for _, tool := range tools {
		cells := []string{oneLine(tool.Name)}
		var shown map[string]any
		if json.Unmarshal(tool.Contract, &shown) != nil {
			shown, uncontracted = nil, uncontracted+1
		}
		for _, member := range members {
			text, _ := shown[member].(string)
			if text = oneLine(text); text == "" {
				text = "-"
			}
			cells = append(cells, text)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush() // into memory
	fmt.Fprintf(&text, "%d tools, %d without a contract\n", len(tools), uncontracted)
	if len(tools) == 0 {
		fmt.Fprintln(&text, "A server lists only the tools whose permissions the caller holds; over HTTP, -header sends the "+
			"caller's credentials.")
	}
	return text.String()
}
