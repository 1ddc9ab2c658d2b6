// Package call has the command call.
package call

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/describe"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
)

// Command returns the command call.
func Command() cli.Command {
	return cli.Command{
		Name: "call", Arguments: "SERVER TOOL [KEY=VALUE… | JSON | -] | TOOL … -- COMMAND [ARGUMENT…]",
		Purpose: "call a tool of a server as an agent does",
		Details: target.Details + " The arguments of the tool are KEY=VALUE for each, a JSON object, or - for an object on stdin. " +
			"A VALUE is read by the type in the schema of the tool; a key that is repeated makes a list.\n\n" +
			"What the tool declares, the steps of the call and the questions of the server are on stderr, and the result is on stdout. " +
			"On a terminal, you answer the questions. Otherwise no person is asked, and a call that needs a person fails.\n\n" +
			"The status is 1 if the call failed, or was not sent because its arguments break the schema.\n\n" +
			"With -operation, no TOOL is called: the command asks the server what became of an earlier call, whose answer has the id. " +
			"The status is 1 if that call is still running or its outcome is unknown, and 2 if the server cannot be asked.",
		Example: "call notes_delete id=n1 -- go run .", JSON: true, Prepare: prepare,
	}
}

// options are the flags of the command.
type options struct {
	key         string
	operation   string // of an earlier call, to look up
	dryRun, yes bool
	ends        bool // the server ends with this command
}

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	server := target.Declare(flags)
	var o options
	flags.StringVar(&o.key, "key", "", "the idempotency `key` of the call; use that of an earlier call to repeat it "+
		"(default: a new one)")
	flags.StringVar(&o.operation, "operation", "", "look up what became of the call with this operation `id` instead of calling a "+
		"tool")
	flags.BoolVar(&o.dryRun, "dry-run", false, "make only the dry run of the tool")
	flags.BoolVar(&o.yes, "yes", false, "do not ask before a call of a tool without a contract, or of a name that the server does "+
		"not list, such as an old one; the questions of a server are still asked")
	return func(ctx context.Context, args []string) (cli.Status, error) {
		p := &person{on: t}
		opts := agent.Options{Steps: func(s agent.Step) { t.Progress("%s", stepText(s)) }}
		if t.Interactive() {
			opts.Host = agent.Host{Ask: p.ask, Open: p.open}
		}
		transport, rest, err := server.Transport(args, t)
		if err != nil {
			return cli.Failed, err
		}
		if (len(rest) == 0) != (o.operation != "") {
			return cli.Failed, cli.Usage("a tool is required; -operation takes none")
		}
		o.ends = server.Starts
		watched := reporting{Transport: transport, on: t}
		if o.yes && len(rest) > 0 {
			watched.unlisted = rest[0]
		}
		a, err := server.Connect(ctx, watched, t, opts)
		if err != nil {
			return cli.Failed, err
		}
		defer a.Close() //nolint:errcheck // the call has ended
		if o.operation != "" {
			return lookUp(ctx, a, o.operation, t)
		}
		tool, err := target.Find(a, rest[0])
		if err != nil {
			return cli.Failed, err
		}
		arguments, err := read(ctx, tool, rest[1:], t.Stdin)
		if err != nil {
			return cli.Failed, err
		}
		if o.dryRun {
			if arguments, err = withDryRun(tool, arguments); err != nil {
				return cli.Failed, err
			}
		}
		return o.call(ctx, a, tool, arguments, t)
	}
}

// call makes the call and prints its outcome.
func (o options) call(ctx context.Context, a *agent.Agent, tool agent.Tool, arguments json.RawMessage, t *cli.Terminal,
) (cli.Status, error) {
	t.Note("%s: %s", cli.OneLine(tool.Name), describe.Line(tool))
	if broken := tool.Violations(arguments); len(broken) > 0 {
		e := ended{Tool: tool.Name, Status: contract.StatusError.String(), Code: contract.CodeInvalidInput, Violations: broken,
			Advice: "correct the arguments; nothing was sent"}
		return cli.Bad, e.print(t)
	}
	opts := []agent.CallOption{agent.ForTool(tool)}
	if o.key != "" {
		opts = append(opts, agent.WithKey(o.key))
	}
	if o.yes {
		opts = append(opts, agent.Approved())
	}
	began := time.Now()
	result, err := a.Call(ctx, tool.Name, arguments, opts...)
	e := endOf(result, err, tool)
	if o.ends && e.Code == contract.CodeConfirmationPending {
		e.Advice = "call it on a terminal, where you can answer, or serve over HTTP: the page has ended with the server"
	}
	if _, looksUp := a.Tool(lookupTool); looksUp && e.OperationID != "" {
		e.Advice += "; -operation " + e.OperationID + " tells what became of it"
	}
	e.Took = time.Since(began).Milliseconds()
	if err != nil {
		return cli.Bad, e.print(t)
	}
	return cli.OK, e.print(t)
}

// withDryRun adds the argument that makes the call a dry run.
func withDryRun(tool agent.Tool, arguments json.RawMessage) (json.RawMessage, error) {
	if tool.Origin == agent.OriginHints || tool.Contract.DryRun != dryrun.Required && tool.Contract.DryRun != dryrun.Supported {
		return nil, fmt.Errorf("-dry-run: the tool declares no dry run, so the call could have its effect; nothing was sent")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &members); err != nil {
		return nil, errObject
	}
	members["dryRun"] = json.RawMessage("true")
	return json.Marshal(members)
}

func stepText(s agent.Step) string {
	switch {
	case s.Kind == agent.StepSent && s.Attempt > 1:
		return fmt.Sprintf("sent again, attempt %d", s.Attempt)
	case s.Kind == agent.StepSent:
		return "sent"
	case s.Kind == agent.StepWaiting:
		return fmt.Sprintf("waiting for %s", s.Wait.Round(100*time.Millisecond))
	case s.Kind == agent.StepLost:
		return "the connection was lost"
	}
	return "answered"
}
