package exampleserver

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/toolcontract/toolcontract/contract/mcpgo"
)

// flags is what the command line says.
type flags struct {
	http        string // the address to listen on; empty: stdio
	permissions *[]string
	tier        mcpgo.ContractTier
}

// parseFlags reads the command line; what is wrong with it has been written to
// stderr when it returns an error.
func parseFlags(name string, args []string, stderr io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&f.http, "http", "", "serve streamable HTTP at `HOST:PORT`/mcp instead of stdio; port 0 takes a free one")
	set.Func("permissions", "comma-separated `list` that the local user holds over stdio (default: all that the tools need)", func(s string) error {
		list := strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
		f.permissions = &list
		return nil
	})
	set.TextVar(&f.tier, "tier", mcpgo.Full, "the `TIER` of each contract in the list: full, summary or hints")
	if err := set.Parse(args); err != nil {
		return flags{}, err
	}
	var wrong string
	switch {
	case set.NArg() > 0:
		wrong = "takes flags alone"
	case f.http != "" && f.permissions != nil:
		wrong = "-permissions is for stdio: over HTTP the bearer token says who calls"
	default:
		return f, nil
	}
	fmt.Fprintf(stderr, "%s: %s\n", name, wrong)
	return flags{}, errors.New(wrong)
}
