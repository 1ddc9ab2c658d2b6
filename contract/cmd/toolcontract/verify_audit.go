package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/toolcontract/toolcontract/contract/guard/audit"
)

// verified is the JSON form of the result for an audit log.
type verified struct {
	OK        bool   `json:"ok"`
	Records   int    `json:"records"`
	First     string `json:"first,omitempty"`
	Last      string `json:"last,omitempty"`
	HeadLine  int    `json:"headLine,omitempty"`
	Torn      int    `json:"torn,omitempty"`
	FirstTorn int    `json:"firstTorn,omitempty"`
	TornTail  bool   `json:"tornTail,omitempty"`
	// Line and Fault describe the first break of the chain.
	Line  int    `json:"line,omitempty"`
	Fault string `json:"fault,omitempty"`
}

func verifyAudit(flags *flag.FlagSet, t *terminal) func(context.Context, []string) (int, error) {
	head := flags.String("head", "", "the `hash` of a record that the log must contain")
	return func(_ context.Context, args []string) (int, error) {
		if len(args) != 1 {
			return statusFailed, errUsage
		}
		log, err := os.Open(args[0])
		if err != nil {
			return statusFailed, err
		}
		defer log.Close() //nolint:errcheck // it was only read
		r, err := audit.Verify(log, *head)
		broken, isBroken := errors.AsType[*audit.ChainError](err)
		if err != nil && !isBroken {
			return statusFailed, err
		}
		found := verified{
			OK: !isBroken, Records: r.Records, First: r.First, Last: r.Last, HeadLine: r.HeadLine,
			Torn: r.Torn, FirstTorn: r.FirstTorn, TornTail: r.TornTail,
		}
		if !isBroken {
			return statusOK, t.print(found, r.String())
		}
		found.Line, found.Fault = broken.Line, broken.Fault
		return statusBad, t.print(found, fmt.Sprintf("%v; before it: %v", broken, r))
	}
}
