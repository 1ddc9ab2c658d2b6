// Package list implements the list command.
package list

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/describe"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
	"github.com/toolcontract/toolcontract/risk"
)

// listed is the JSON form of a tool.
type listed struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Line is what the tool declares, in words.
	Line string `json:"line"`
	// Reversibility is how far the changes of a call can be undone.
	Reversibility risk.Reversibility `json:"reversibility,omitzero"`
	// Refusal is why an agent does not call the tool. It is empty if it does.
	Refusal     string          `json:"refusal,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
}

// Command returns the list command.
func Command() cli.Command {
	return cli.Command{
		Name: "list", Arguments: "SERVER [TOOL] | [TOOL] -- COMMAND [ARGUMENT…]",
		Purpose: "list the tools of a running server as an agent sees them",
		Details: target.Details + " With TOOL, it shows one tool with its arguments.",
		Example: "list notes_delete -- go run .", JSON: true, Prepare: prepare,
	}
}

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	server := target.Declare(flags)
	return func(ctx context.Context, args []string) (cli.Status, error) {
		transport, rest, err := server.Transport(args, t)
		if err != nil {
			return cli.Failed, err
		}
		a, err := server.Connect(ctx, transport, t, agent.Options{})
		if err != nil {
			return cli.Failed, err
		}
		defer a.Close() //nolint:errcheck // the answer is complete
		switch len(rest) {
		case 0:
			return cli.OK, t.Print(all(a.Tools()), table(a.Tools(), t.Width()))
		case 1:
			tool, err := target.Find(a, rest[0])
			if err != nil {
				return cli.Failed, err
			}
			return cli.OK, t.Print(one(tool), describe.Page(tool, t.Columns()))
		}
		return cli.Failed, cli.Usage("at most one tool is accepted")
	}
}

func one(t agent.Tool) listed {
	doc := t.Contract
	return listed{
		Name: t.Name, Title: doc.Title, Description: doc.Description, Line: describe.Line(t),
		Reversibility: doc.Reversibility, Refusal: t.Refusal, InputSchema: doc.InputSchema,
	}
}

func all(tools []agent.Tool) []listed {
	list := make([]listed, 0, len(tools))
	for _, t := range tools {
		list = append(list, one(t))
	}
	return list
}

// table returns the tools, one a line. Lines are cut to the width.
func table(tools []agent.Tool, width int) string {
	var aligned strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, t := range tools {
		declared := "no contract"
		if t.Origin != agent.OriginHints {
			level, effect := describe.Bounds(t.Contract)
			declared = level + ", " + effect
		}
		if t.Refusal != "" {
			declared = "not called: " + t.Refusal
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", cli.OneLine(t.Name), cli.OneLine(declared), cli.OneLine(t.Contract.Description))
	}
	_ = w.Flush() // to memory, which cannot fail
	var text strings.Builder
	for line := range strings.Lines(aligned.String()) {
		fmt.Fprintln(&text, cli.Cut(strings.TrimRight(line, " \n"), width))
	}
	if len(tools) == 0 {
		return "The server lists no tools for this caller; over HTTP, -header sends its credentials."
	}
	return text.String()
}
