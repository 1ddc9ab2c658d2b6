// Package diff implements the diff command.
package diff

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/snapshot"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/contracttest"
)

// compared is the JSON form of the difference between two snapshots.
type compared struct {
	// Compatible reports whether callers of the old contracts can call the new
	// ones.
	Compatible bool `json:"compatible"`
	// Downgrade reports whether a declared protection is weaker.
	Downgrade bool `json:"downgrade"`
	// Allowed has the reasons given with -allow-downgrade, by tool.
	Allowed map[string]string `json:"allowed,omitempty"`
	// Reasons are those from the -reasons file that explain a change in this
	// comparison.
	Reasons []explanation `json:"reasons,omitempty"`
	// Changes are all differences.
	Changes []compat.Change `json:"changes"`
	// Versions has an error for each tool whose version was raised by less than
	// its changes require.
	Versions []string `json:"versions"`
}

// An explanation is a change with its reason from the file next to the new
// snapshot.
type explanation struct {
	Tool    string `json:"tool"`
	Pointer string `json:"pointer"`
	Rule    string `json:"rule"`
	Why     string `json:"why"`
}

// Command returns the diff command.
func Command() cli.Command {
	return cli.Command{
		Name: "diff", Arguments: "OLD NEW", Purpose: "compare two snapshots of contracts", JSON: true, Prepare: prepare,
		Details: "The status is 1 if the new snapshot may break callers, raises a version by less than its changes require, " +
			"or has a weaker protection without a reason. Flags accept the first and the last of these.",
		Example: "diff old.json testdata/contracts.json",
	}
}

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	allowed := map[string]string{}
	usage := "accept the weaker protections of a tool, by its name and the reason: `NAME=reason`; may be repeated"
	flags.Func("allow-downgrade", usage, func(text string) error {
		name, reason, _ := strings.Cut(text, "=")
		if name == "" || strings.TrimSpace(reason) == "" {
			return errors.New("the value is not of the form NAME=reason")
		}
		allowed[name] = reason
		return nil
	})
	reasons := flags.Bool("reasons", false,
		"accept the weaker protections that the file beside NEW has reasons for, which contracttest.Golden keeps")
	breaking := flags.Bool("allow-breaking", false, "accept changes that may break callers, if the version was raised for them")
	table := flags.Bool("markdown", false, "print the weaker and the breaking changes as a table in Markdown, for a pull request")
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if len(args) != 2 {
			return cli.Failed, cli.Usage("two snapshots are required")
		}
		if *table && t.JSON {
			return cli.Failed, cli.Usage("-markdown and -json are two forms of the result")
		}
		old, err := snapshot.Read(ctx, args[0])
		if err != nil {
			return cli.Failed, err
		}
		now, err := snapshot.Read(ctx, args[1])
		if err != nil {
			return cli.Failed, err
		}
		why := func(compat.Change) string { return "" }
		if *reasons {
			if why, err = contracttest.Reasons(args[1], old, now); err != nil {
				return cli.Failed, err
			}
		}
		found, text, weaker := compare(old, now, allowed, why, t.Stdout)
		for _, name := range slices.Sorted(maps.Keys(allowed)) {
			if !slices.Contains(weaker, name) {
				return cli.Failed, fmt.Errorf("-allow-downgrade: no protection of %s is weaker; correct the name, or remove the flag",
					cli.OneLine(name))
			}
		}
		if *table {
			text = markdown(found)
		}
		if err := t.Print(found, text); err != nil {
			return cli.Failed, err
		}
		if !found.Compatible && !*breaking || len(found.Versions) > 0 || !found.isAccepted() {
			return cli.Bad, nil
		}
		return cli.OK, nil
	}
}

// compare compares two snapshots. It also returns the text for people, coloured
// if the stream allows it, and the tools with a weaker protection.
func compare(
	old, now compat.Snapshot, allowed map[string]string, recorded func(compat.Change) string, on io.Writer,
) (found compared, text string, weaker []string) {
	found = compared{Compatible: true, Allowed: allowed, Changes: []compat.Change{}, Versions: []string{}}
	var b strings.Builder
	for _, c := range compat.Diff(old, now) {
		found.Changes = append(found.Changes, c)
		found.Compatible = found.Compatible && c.Class != compat.Breaking
		line := cli.OneLine(c.String())
		switch {
		case c.Class == compat.Breaking:
			line = cli.Paint(on, cli.Red, line)
		case c.Downgrade:
			line = cli.Paint(on, cli.Yellow, line)
		}
		fmt.Fprint(&b, line)
		if c.Downgrade {
			found.Downgrade = true
			weaker = append(weaker, c.Tool)
			if why := recorded(c); why != "" {
				found.Reasons = append(found.Reasons, explanation{c.Tool, c.Pointer, c.Rule, why})
			}
			if why := found.why(c); why != "" {
				fmt.Fprintf(&b, " (allowed: %s)", cli.OneLine(why))
			}
		}
		fmt.Fprintln(&b)
	}
	for _, v := range compat.CheckVersions(old, now) {
		found.Versions = append(found.Versions, v.Error())
		fmt.Fprintln(&b, cli.OneLine(v.Error()))
	}
	fmt.Fprint(&b, found.verdict())
	if found.Downgrade && !found.isAccepted() {
		fmt.Fprint(&b, ": declare it again, or pass -allow-downgrade NAME=reason")
	}
	return found, b.String(), weaker
}

// verdict returns the result as a sentence without its period.
func (c compared) verdict() string {
	verdict := "compatible"
	switch {
	case !c.Compatible:
		verdict = "not compatible"
	case len(c.Changes) == 0:
		verdict = "the recorded contracts are equal"
	}
	if len(c.Versions) > 0 {
		verdict += "; a version was not raised enough"
	}
	if c.Downgrade {
		verdict += "; a declared protection is weaker than before"
		if c.isAccepted() {
			verdict += ", which is allowed"
		}
	}
	return verdict
}

// isAccepted reports whether every weaker protection has a reason.
func (c compared) isAccepted() bool {
	return !slices.ContainsFunc(c.Changes, func(change compat.Change) bool { return change.Downgrade && c.why(change) == "" })
}

// why returns the reason a weaker protection is accepted, or "" if there is
// none.
func (c compared) why(change compat.Change) string {
	if why := c.Allowed[change.Tool]; why != "" {
		return why
	}
	i := slices.IndexFunc(c.Reasons, func(e explanation) bool {
		return e.Tool == change.Tool && e.Pointer == change.Pointer && e.Rule == change.Rule
	})
	if i < 0 {
		return ""
	}
	return c.Reasons[i].Why
}
