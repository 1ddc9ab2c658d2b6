package program

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/origin"
)

// flags holds the parsed command line.
type flags struct {
	http           string    // the address to listen on; empty means stdio
	permissions    *[]string // of the local user; nil means all
	tier           contract.Tier
	names          contract.Naming
	gateway        bool          // the list has the keys of package gateway/keys
	audit          string        // the file or folder of the audit log; empty means stderr
	auditSize      int64         // the size from which a next file of the folder begins; 0: none
	verifyAudit    string        // the audit log to check instead of serving, or a folder of them
	state          string        // the file of the state; empty: that of the author, or memory
	operate        []string      // the arguments after the command state; nil: serve, or check a log
	head           string        // the head that the checked log must contain
	origin         string        // at which clients reach the server; empty: the address of http
	proxyStrips    bool          // the proxy removes the path of origin
	proxyHeader    string        // in which a proxy passes the address of its client; empty: that of the author
	drainDelay     time.Duration // see serve.Config
	allowedOrigins []string      // of pages that may call the tools
	approval       bool          // a person confirms on the server's approval page
	browser        bool          // over stdio, a question opens in the browser
}

// list returns how the flags list the tools.
func (f flags) list() adapter.Config {
	return adapter.Config{Tier: f.tier, Naming: f.names}
}

// parseFlags reads the command line. If it returns an error, it has printed the
// mistake to stderr, or the flags to stdout for -h.
func (s Server) parseFlags(args []string, stdout, stderr io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet(s.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard) // a mistake is printed below, and not above all flags
	set.Usage = func() {}
	set.StringVar(&f.http, "http", "", "serve streamable HTTP at `HOST:PORT`/mcp instead of stdio; port 0 selects a free port")
	set.Func("permissions", "comma-separated `list` of the local user's permissions over stdio (default: all that the tools need)",
		func(s string) error {
			list := strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
			f.permissions = &list
			return nil
		})
	set.TextVar(&f.tier, "tier", contract.TierSummary, "how much of each contract is in the list: `TIER` is summary, full or hints")
	set.TextVar(&f.names, "names", contract.Underscore, "the form of the tools' `NAMES`: underscore, or dotted for hosts that "+
		"accept dots")
	set.BoolVar(&f.gateway, "gateway", false, "add the annotation keys of mcp-tool-contract to the list, for a gateway that reads "+
		"them; three hints become less strict")
	set.Func("audit", "append the audit log to `FILE|DIR` as a hash chain, and print its head at the end; in a folder each "+
		"process has a file of its own (default: log to stderr)", filled(&f.audit))
	set.Int64Var(&f.auditSize, "audit-size", 0, "with -audit DIR, go on in a next file after `BYTES` (default: only on SIGUSR1)")
	set.Func("verify-audit", "check the audit log in `FILE|DIR` instead of serving; if it is broken, exit with 1 and name the "+
		"first bad line", filled(&f.verifyAudit))
	set.Func("head", "the `HASH` that -verify-audit must find in the log: a head that -audit printed", filled(&f.head))
	if s.OpenState != nil {
		set.Func("state", "keep the outcomes of calls, open questions and their keys in `FILE` on this machine, for all processes "+
			"of this user", filled(&f.state))
	}
	if s.Approval {
		set.BoolVar(&f.approval, "approval", false, "let a person confirm on a page if the client cannot ask: over stdio in "+
			"the browser of this machine or at an address on stderr, over HTTP at /approvals")
		set.BoolVar(&f.browser, "browser", true, "with -approval over stdio, open each question in the browser if this machine "+
			"has a display")
	}
	if s.Public {
		set.Func("origin", "the https `ORIGIN` at which clients reach -http, such as https://mail.example.com, if that is not "+
			"its address; below a path of another site, with that path: https://example.com/mail", filled(&f.origin))
		set.BoolVar(&f.proxyStrips, "proxy-strips", false, "the proxy removes the path of -origin before it passes a request on")
		set.Func("proxy-header", "the `HEADER` in which the proxy of -origin passes the address of its client, such as "+
			"X-Forwarded-For, so that each address has its own tries at the sign-in", filled(&f.proxyHeader))
		set.Func("allowed-origin", "an `ORIGIN` whose pages may call the tools over -http, such as https://inspector.example.com; "+
			"repeat it for more", func(s string) error {
			f.allowedOrigins = append(f.allowedOrigins, s)
			return nil
		})
		set.DurationVar(&f.drainDelay, "drain-delay", 0, "how long -http still accepts requests after /readyz has begun to answer "+
			"503, so that a load balancer stops first, such as 10s")
	}
	if s.Flags != nil {
		s.Flags(set)
	}
	usage := fmt.Sprintf("usage: %s [flags]", s.Name)
	if s.OperateState != nil {
		usage += " [state COMMAND …]"
	}
	var wrong string
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "%s\n\nflags:\n", usage)
		set.SetOutput(stdout)
		set.PrintDefaults()
		return flags{}, err
	case err != nil:
		fmt.Fprintf(stderr, "%s\n%s: %s; run %s -h\n", usage, s.Name, withoutValue(err.Error()), s.Name)
		return flags{}, err
	}
	switch {
	case s.OperateState != nil && set.Arg(0) == "state":
		f.operate = set.Args()[1:]
		return f, nil
	case set.NArg() > 0:
		wrong = "only flags are accepted; remove the other arguments"
	case f.http != "" && f.permissions != nil:
		wrong = "-permissions is only for stdio; over HTTP the bearer token names the caller"
	case f.verifyAudit != "" && (f.audit != "" || f.http != "" || f.permissions != nil || f.state != ""):
		wrong = "-verify-audit checks a log instead of serving; remove -audit, -http, -permissions and -state"
	case f.origin != "" && f.http == "":
		wrong = "-origin needs -http"
	case f.origin != "" && wrongOrigin(f) != "":
		wrong = wrongOrigin(f)
	case f.proxyStrips && f.origin == "":
		wrong = "-proxy-strips needs -origin"
	case f.proxyHeader != "" && f.origin == "":
		wrong = "-proxy-header needs -origin"
	case len(f.allowedOrigins) > 0 && f.http == "":
		wrong = "-allowed-origin needs -http"
	case f.drainDelay < 0 || f.drainDelay > 0 && f.http == "":
		wrong = "-drain-delay is a duration above 0, such as 10s, and needs -http"
	case f.auditSize < 0 || f.auditSize > 0 && f.audit == "":
		wrong = "-audit-size is a number of bytes above 0, and needs -audit with a folder"
	case f.head != "" && f.verifyAudit == "":
		wrong = "-head needs -verify-audit"
	default:
		return f, nil
	}
	fmt.Fprintf(stderr, "%s: %s\n", s.Name, wrong)
	return flags{}, errors.New(wrong)
}

var flagValue = regexp.MustCompile(`(?s)^(invalid (?:boolean )?value) ".*" for (?:flag )?-`)

// withoutValue removes the value from an error of package flag, which may be a
// secret.
func withoutValue(text string) string { return flagValue.ReplaceAllString(text, "$1 for flag -") }

// wrongOrigin returns what is wrong with -origin, or "" if nothing is.
func wrongOrigin(f flags) string {
	u, ok := origin.ParseBase(f.origin)
	switch {
	case !ok:
		return "-origin is not an origin; pass scheme, host and port, such as https://mail.example.com, and the path of " +
			"the server if it has one, such as https://example.com/mail; segments of the path have letters, digits and -._~, and " +
			"do not begin with a dot"
	case !origin.IsSafe(u):
		return "-origin: http sends tokens and cookies in clear text; pass an https origin, such as https://mail.example.com"
	case f.proxyStrips && u.Path == "":
		return "-proxy-strips is set, and -origin has no path that a proxy could remove; remove the flag"
	default:
		return ""
	}
}

// filled returns a flag function that stores the value and refuses an empty
// one. An unset shell variable leaves an empty value, and serving without the
// requested log would be a surprise.
func filled(to *string) func(string) error {
	return func(s string) error {
		if s == "" {
			return errors.New("the value is empty")
		}
		*to = s
		return nil
	}
}
