// Package state implements the commands for a guard's state. Those that need
// the driver of a database run in another program, so that this one stays
// light.
package state

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/operator"
)

// Command returns the state command group.
func Command() cli.Command {
	group := cli.Command{
		Name: "state", Purpose: "show, change and copy the records that servers keep of calls; all but schema run " + program,
	}
	for _, c := range operator.Commands() {
		group.Commands = append(group.Commands, cli.Command{
			Name: c.Name, Arguments: c.Arguments, Purpose: c.Purpose, Details: c.Details, Example: "state " + c.Example, JSON: c.JSON,
			Prepare: func(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
				c.Flags(flags)
				return func(ctx context.Context, args []string) (cli.Status, error) {
					given := []string{c.Name}
					flags.Visit(func(f *flag.Flag) { given = append(given, "-"+f.Name+"="+f.Value.String()) })
					return handOver(ctx, slices.Concat(given, args), t)
				}
			},
		})
	}
	group.Commands = append(group.Commands, cli.Command{
		Name: "schema", Arguments: "sqlite | postgres", Purpose: "print the statements that make the tables of a database",
		Details: "Run them in an empty database, or give them to your tool for migrations. Redis needs none.",
		Example: "state schema postgres", Prepare: schema,
	})
	return group
}

const program = "toolcontract-state"

// handOver runs a command in the program that has the drivers.
func handOver(ctx context.Context, args []string, t *cli.Terminal) (cli.Status, error) {
	path, err := find()
	if err != nil {
		return cli.Failed, fmt.Errorf("this needs the drivers of the databases; run: %s %s …", line(), args[0])
	}
	run := cli.Process(ctx, path, args...)
	run.Stdin, run.Stdout, run.Stderr = t.Stdin, t.Stdout, t.Stderr
	err = run.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err == nil || ended && run.ProcessState.Exited() {
		return cli.Status(run.ProcessState.ExitCode()), nil
	}
	return cli.Failed, fmt.Errorf("%s did not end by itself: %w", program, err)
}

// find returns the path of the program: the one in the folder of this one, or
// else the one on the PATH.
func find() (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), program)); err == nil {
			return path, nil
		}
	}
	return exec.LookPath(program)
}

// line returns the command line that gets and runs the program, at the version
// of this one.
func line() string {
	version := "latest"
	info, ok := debug.ReadBuildInfo()
	if ok && strings.HasPrefix(info.Main.Version, "v") && !strings.Contains(info.Main.Version, "+") {
		version = info.Main.Version
	}
	return "go run github.com/toolcontract/toolcontract/cmd/" + program + "@" + version
}

func schema(_ *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	return func(_ context.Context, args []string) (cli.Status, error) {
		for _, d := range []sqlstore.Dialect{sqlstore.SQLite, sqlstore.Postgres} {
			if len(args) == 1 && strings.EqualFold(args[0], d.String()) {
				return cli.OK, t.Print(nil, sqlstore.Schema(d))
			}
		}
		return cli.Failed, cli.Usage("the dialect must be sqlite or postgres; Redis needs no tables")
	}
}
