// Package check implements the check command.
package check

import (
	"context"
	"flag"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/snapshot"
	"github.com/toolcontract/toolcontract/contracttest"
)

// Command returns the check command.
func Command() cli.Command {
	return cli.Command{
		Name: "check", Arguments: "SNAPSHOT", Purpose: "check the contracts of a snapshot", JSON: true, Prepare: prepare,
		Details: "A snapshot is the file that contracttest.Golden records. The status is 1 if a finding is an error.",
		Example: "check testdata/contracts.json",
	}
}

func prepare(_ *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if len(args) != 1 {
			return cli.Failed, cli.Usage("one snapshot is required")
		}
		s, err := snapshot.Read(ctx, args[0])
		if err != nil {
			return cli.Failed, err
		}
		report := contracttest.InspectSnapshot(s)
		if err := t.Print(report, report.String()); err != nil {
			return cli.Failed, err
		}
		if report.Count(contracttest.Error) > 0 {
			return cli.Bad, nil
		}
		return cli.OK, nil
	}
}
