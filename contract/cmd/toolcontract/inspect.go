package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/agent/client"
)

// listed is the JSON form of a listed tool.
type listed struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// Contract is the contract as the server lists it. Empty: the server lists
	// none.
	Contract json.RawMessage `json:"contract,omitempty"`
	// Annotations are the hints that MCP defines.
	Annotations hints `json:"annotations"`
}

// hints are the annotations of a tool. Nil: not sent.
type hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

func inspect(flags *flag.FlagSet, t *terminal) func(context.Context, []string) (int, error) {
	headers := http.Header{}
	usage := "a `header` of every HTTP request, such as \"Authorization: Bearer …\"; may be repeated"
	flags.Func("header", usage, func(text string) error {
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return errors.New("the header is not of the form NAME: VALUE")
		}
		headers.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		return nil
	})
	timeout := flags.Duration("timeout", 30*time.Second, "how long to wait for the server")
	return func(ctx context.Context, args []string) (int, error) {
		over, err := transport(args, headers, t)
		if err != nil {
			return statusFailed, err
		}
		c := client.New(over)
		defer c.Close() //nolint:errcheck // the answer is complete
		ctx, cancel := context.WithTimeout(ctx, *timeout)
		defer cancel()
		tools, err := list(ctx, c)
		if err != nil {
			return statusFailed, fmt.Errorf("the tools of the server cannot be listed: %s", oneLine(err.Error()))
		}
		return statusOK, t.print(tools, table(tools))
	}
}

// transport returns the transport to a URL, or to a command after "--".
func transport(args []string, headers http.Header, t *terminal) (client.Transport, error) {
	switch {
	case len(args) > 1 && args[0] == "--":
		return client.Command{Path: args[1], Args: args[2:], Stderr: t.stderr}, nil
	case len(args) == 1 && args[0] != "--":
		if !strings.HasPrefix(args[0], "http://") && !strings.HasPrefix(args[0], "https://") {
			return nil, errors.New("the URL does not start with http:// or https://; a command that serves over stdio stands after --")
		}
		return client.HTTP{URL: args[0], Header: headers}, nil
	default:
		return nil, errUsage
	}
}

// list returns the tools of a server, sorted by name.
func list(ctx context.Context, c *client.Client) ([]listed, error) {
	listing, err := c.ListTools(ctx)
	if err != nil {
		return nil, err
	}
	tools := make([]listed, 0, len(listing.Tools))
	for _, raw := range listing.Tools {
		var tool struct {
			listed
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			return nil, errors.New("a tool in the list is not of the form that the protocol defines")
		}
		tool.Contract = tool.Meta[contract.MetaKeyContract]
		tools = append(tools, tool.listed)
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
	noun := "tools"
	if len(tools) == 1 {
		noun = "tool"
	}
	fmt.Fprintf(&text, "%d %s, %d without a contract\n", len(tools), noun, uncontracted)
	if len(tools) == 0 {
		fmt.Fprintln(&text, "A server lists only the tools whose permissions the caller holds; "+
			"over HTTP, -header sends the caller's credentials.")
	}
	return text.String()
}
