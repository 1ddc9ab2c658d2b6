package main

import (
	"context"
	"flag"

	"github.com/toolcontract/toolcontract/contract/contracttest"
)

func check(_ *flag.FlagSet, t *terminal) func(context.Context, []string) (int, error) {
	return func(_ context.Context, args []string) (int, error) {
		if len(args) != 1 {
			return statusFailed, errUsage
		}
		s, err := readSnapshot(args[0])
		if err != nil {
			return statusFailed, err
		}
		report := contracttest.InspectSnapshot(s)
		if err := t.print(report, report.String()); err != nil {
			return statusFailed, err
		}
		if report.Count(contracttest.Error) > 0 {
			return statusBad, nil
		}
		return statusOK, nil
	}
}
