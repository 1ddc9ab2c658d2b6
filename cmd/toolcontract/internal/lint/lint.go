// Package lint implements the lint command.
package lint

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/snapshot"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/host"
)

// Command returns the lint command.
func Command() cli.Command {
	return cli.Command{
		Name: "lint", Arguments: "SNAPSHOT | " + target.Arguments, Purpose: "find what hosts do with the tools of a server",
		Details: "Hosts such as Codex and VS Code cut names, drop schemas, and run or refuse calls by their own rules. The tools " +
			"need no contracts. A snapshot is the file that contracttest.Golden records, or a file with a result of tools/list. " +
			target.Details + "\n\n" +
			"The status is 1 if a finding is an error. A finding that is not confirmed is an info.",
		Example: "lint -host codex@2026-10,vscode -- go run .", JSON: true, Prepare: prepare,
	}
}

// An acceptance is one value of -accept.
type acceptance struct {
	rule, reason string
	tools        []string
}

// options are the flags.
type options struct {
	hosts    string
	server   string
	accepted []acceptance
	sarif    bool
}

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	server := target.Declare(flags)
	var o options
	flags.StringVar(&o.hosts, "host", "", "the `hosts`, such as codex@2026-10,vscode; the default is all of them, without the "+
		"directories openai-directory and claude-directory")
	flags.StringVar(&o.server, "server", "", "the `name` of the server in the hosts, which is a part of the names that models get")
	flags.BoolVar(&o.sarif, "sarif", false, "print SARIF 2.1.0, which code scanning reads")
	flags.Func("accept", "accept the findings of a rule, or those of one tool, for a `reason`: RULE=reason or RULE:TOOL=reason; "+
		"may be repeated", func(text string) error {
		where, reason, _ := strings.Cut(text, "=")
		rule, tool, named := strings.Cut(where, ":")
		if rule == "" || strings.TrimSpace(reason) == "" || named && tool == "" {
			return errors.New("the value is not of the form RULE=reason or RULE:TOOL=reason")
		}
		a := acceptance{rule: rule, reason: reason}
		if named {
			a.tools = []string{tool}
		}
		o.accepted = append(o.accepted, a)
		return nil
	})
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if o.sarif && t.JSON {
			return cli.Failed, cli.Usage("-sarif prints JSON; remove -json")
		}
		hosts, err := host.Find(o.hosts)
		if err != nil {
			return cli.Failed, err
		}
		tools, text, err := snapshot.Listed(ctx, server, args, t)
		if err != nil {
			return cli.Failed, err
		}
		found := contracttest.InspectServer(hosts, host.Server{Name: o.server, Tools: tools})
		for _, a := range o.accepted {
			found = found.Accept(a.rule, a.reason, a.tools...)
		}
		var file source
		if text != nil {
			file = source{args[0], text}
		}
		if err := o.print(t, found, hosts, file); err != nil {
			return cli.Failed, err
		}
		if found.Count(contracttest.Error) > 0 {
			return cli.Bad, nil
		}
		return cli.OK, nil
	}
}

func (o options) print(t *cli.Terminal, found contracttest.Inspection, hosts []host.Host, file source) error {
	if o.sarif {
		log, err := sarif(found, file)
		if err != nil {
			return err
		}
		return t.Print(nil, log)
	}
	return t.Print(found, text(found, len(hosts), t))
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
