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
	names       mcpgo.Naming
	audit       string // the file of the audit log; empty: the log goes to stderr
	verifyAudit string // the audit log to check instead of serving
	head        string // what the log to check has to hold
	approval    bool   // a person confirms on a page of the server's
}

// options are what the flags say of the server.
func (f flags) options() []mcpgo.Option {
	return []mcpgo.Option{mcpgo.Tier(f.tier), mcpgo.Names(f.names)}
}

// parseFlags reads the command line; what is wrong with it has been written to
// stderr when it returns an error.
func (s Server) parseFlags(args []string, stderr io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet(s.Name, flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&f.http, "http", "", "serve streamable HTTP at `HOST:PORT`/mcp instead of stdio; port 0 takes a free one")
	set.Func("permissions", "comma-separated `list` that the local user holds over stdio (default: all that the tools need)", func(s string) error {
		list := strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
		f.permissions = &list
		return nil
	})
	set.TextVar(&f.tier, "tier", mcpgo.Full, "the `TIER` of each contract in the list: full, summary or hints")
	set.TextVar(&f.names, "names", mcpgo.Dotted, "how the tools' `NAMES` are written: dotted or underscore, for hosts that take no dot")
	set.Func("audit", "append the audit log to `FILE`, chained by hashes, and print its head at the end (default: stderr)", filled(&f.audit))
	set.Func("verify-audit", "check the audit log in `FILE` instead of serving; exits with 1 where it is broken, naming the first bad line", filled(&f.verifyAudit))
	set.Func("head", "the `HASH` that -verify-audit has to find: a head that -audit printed", filled(&f.head))
	if s.Approval {
		set.BoolVar(&f.approval, "approval", false, "have a person confirm on a page, where the client cannot ask one: over stdio at an address that is printed on stderr, over HTTP at /approvals")
	}
	if s.Flags != nil {
		s.Flags(set)
	}
	if err := set.Parse(args); err != nil {
		return flags{}, err
	}
	var wrong string
	switch {
	case set.NArg() > 0:
		wrong = "takes flags alone"
	case f.http != "" && f.permissions != nil:
		wrong = "-permissions is for stdio: over HTTP the bearer token says who calls"
	case f.verifyAudit != "" && (f.audit != "" || f.http != "" || f.permissions != nil):
		wrong = "-verify-audit checks a log instead of serving"
	case f.head != "" && f.verifyAudit == "":
		wrong = "-head is for -verify-audit"
	default:
		return f, nil
	}
	fmt.Fprintf(stderr, "%s: %s\n", s.Name, wrong)
	return flags{}, errors.New(wrong)
}

// filled sets what a flag says and refuses an empty value, as a variable that
// the shell does not know leaves it: no log is not what was asked for.
func filled(to *string) func(string) error {
	return func(s string) error {
		if s == "" {
			return errors.New("it is empty")
		}
		*to = s
		return nil
	}
}
