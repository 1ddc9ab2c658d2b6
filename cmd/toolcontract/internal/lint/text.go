package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contracttest"
)

// shownTools is how many tools a line names.
const shownTools = 3

// text returns a line for each rule, host and message, the remedy of each rule
// once, and a line with counts.
func text(found contracttest.Inspection, hosts int, t *cli.Terminal) string {
	type group struct {
		severity             contracttest.Severity
		rule, host, accepted string
		stem                 string
		acceptedRule         string // of a finding about an acceptance
	}
	var order []group
	groups := map[group][]contracttest.Finding{}
	remedies := map[string]string{}
	for _, f := range found.Findings {
		g := group{f.Severity, f.Rule, f.Host, f.Accepted, stem(f.Message), ""}
		if f.Host == "" {
			g.acceptedRule = f.Clause
		}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], f)
		remedies[f.Rule] = f.Remedy
	}
	// The findings are sorted by severity and tool; this keeps each rule
	// together.
	slices.SortStableFunc(order, func(a, b group) int {
		if a.severity != b.severity {
			return 0
		}
		return strings.Compare(a.rule+" "+a.host, b.rule+" "+b.host)
	})
	var b strings.Builder
	for _, g := range order {
		line := fmt.Sprintf("%-7s  %s  %s", g.severity, g.rule, cli.OneLine(summary(groups[g])))
		if g.accepted != "" {
			line += " (accepted: " + cli.OneLine(g.accepted) + ")"
		}
		fmt.Fprintln(&b, paint(g.severity, cli.Cut(line, t.Width()), t))
	}
	if len(remedies) > 0 {
		fmt.Fprintln(&b)
	}
	for _, rule := range slices.Sorted(maps.Keys(remedies)) {
		fmt.Fprintln(&b, cli.OneLine(rule+": "+remedies[rule]))
	}
	if len(remedies) > 0 {
		fmt.Fprintln(&b)
	}
	fmt.Fprintf(&b, "%s, %s: %s, %s, %s", count(len(found.Tools), "tool"), count(hosts, "host"),
		count(found.Count(contracttest.Error), "error"), count(found.Count(contracttest.Warning), "warning"),
		count(found.Count(contracttest.Info), "info"))
	return b.String()
}

func paint(s contracttest.Severity, line string, t *cli.Terminal) string {
	switch s {
	case contracttest.Error:
		return cli.Paint(t.Stdout, cli.Red, line)
	case contracttest.Warning:
		return cli.Paint(t.Stdout, cli.Yellow, line)
	default:
		return cli.Paint(t.Stdout, cli.Faint, line)
	}
}

// summary returns the findings of one rule and host as a line.
func summary(all []contracttest.Finding) string {
	message := all[0].Message
	var tools []string
	for _, f := range all {
		if f.Tool != "" && !slices.Contains(tools, f.Tool) {
			tools = append(tools, f.Tool)
		}
		if f.Message != message {
			message = stem(message)
		}
	}
	switch {
	case len(tools) == 0 && all[0].Clause != "":
		return all[0].Clause + ": " + message
	case len(tools) == 0:
		return message
	case len(tools) == 1 && len(all) == 1 && all[0].Clause != "":
		return tools[0] + ": " + all[0].Clause + ": " + message
	case len(tools) == 1:
		return tools[0] + ": " + message
	}
	named := strings.Join(tools[:min(shownTools, len(tools))], ", ")
	if len(tools) > shownTools {
		named += ", …"
	}
	return fmt.Sprintf("%s: %s: %s", count(len(tools), "tool"), named, message)
}

// stem returns a message up to its last colon; findings of one rule differ in
// what follows.
func stem(message string) string {
	if i := strings.LastIndex(message, ": "); i > 0 {
		return message[:i]
	}
	return message
}
