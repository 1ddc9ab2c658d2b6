// Package inspect implements the inspect command.
package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// listed is the JSON form of a listed tool.
type listed struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// Contract is the contract as the server lists it. It is empty if the
	// server lists none.
	Contract json.RawMessage `json:"contract,omitempty"`
	// Annotations are the hints that MCP defines.
	Annotations hints `json:"annotations"`
}

// hints are a tool's annotations. A nil hint was not sent.
type hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Command returns the inspect command.
func Command() cli.Command {
	return cli.Command{
		Name: "inspect", Arguments: target.Arguments, Purpose: "list the contracts of a running server",
		Details: target.Details, Example: "inspect -- go run .", JSON: true, Prepare: prepare,
	}
}

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	server := target.Declare(flags)
	return func(ctx context.Context, args []string) (cli.Status, error) {
		transport, rest, err := server.Transport(args, t)
		if err != nil {
			return cli.Failed, err
		}
		if len(rest) > 0 {
			return cli.Failed, cli.Usage("one server is required")
		}
		all, err := server.List(ctx, transport, t)
		if err != nil {
			return cli.Failed, err
		}
		tools, err := parse(all)
		if err != nil {
			return cli.Failed, err
		}
		return cli.OK, t.Print(tools, table(tools, t))
	}
}

// parse returns the listed tools, sorted by name.
func parse(all []json.RawMessage) ([]listed, error) {
	tools := make([]listed, 0, len(all))
	for _, raw := range all {
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

// table returns the contracts as a table, one tool a line, that fits the
// terminal.
func table(tools []listed, t *cli.Terminal) string {
	members := []string{"risk", "effect", "contentTrust", "confirmation", "dryRun", "version"}
	var aligned, text strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOOL\tRISK\tEFFECT\tTRUST\tCONFIRMATION\tDRY RUN\tVERSION")
	uncontracted := 0
	for _, tool := range tools {
		cells := []string{cli.OneLine(tool.Name)}
		var shown map[string]any
		if json.Unmarshal(tool.Contract, &shown) != nil {
			shown, uncontracted = nil, uncontracted+1
		}
		least, _ := shown["resolves"].(map[string]any)
		for _, member := range members {
			text, _ := shown[member].(string)
			if text == "" && shown != nil && member == "contentTrust" {
				text = trust.Level(0).Effective().String()
			}
			if lower, ok := least[member].(string); ok {
				text = "at least " + lower + ", at most " + text
			}
			if text = cli.OneLine(text); text == "" {
				text = "-"
			}
			cells = append(cells, text)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush() // to memory, which cannot fail
	style := cli.Bold
	for line := range strings.Lines(aligned.String()) {
		if line = cli.Cut(strings.TrimRight(line, "\n"), t.Width()); style != "" {
			line = cli.Paint(t.Stdout, style, line)
			style = ""
		}
		fmt.Fprintln(&text, line)
	}
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
