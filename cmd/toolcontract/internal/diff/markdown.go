package diff

import (
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract/compat"
)

// markdown returns a table of the weaker and breaking changes and the version
// mistakes, and the number of other changes.
func markdown(found compared) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Contracts: %s\n", found.verdict())
	rows := 0
	for _, c := range found.Changes {
		if !c.Downgrade && c.Class != compat.Breaking {
			continue
		}
		if rows++; rows == 1 {
			fmt.Fprint(&b, "\n| tool | change | where | why |\n|---|---|---|---|\n")
		}
		fmt.Fprintf(&b, "| %s | %s, %s | %s | %s |\n",
			cli.MarkdownCode(c.Tool), cli.Markdown(found.kind(c)), cli.MarkdownCode(c.Rule), cli.MarkdownCode(c.Pointer),
			cli.Markdown(c.Reason))
	}
	for i, v := range found.Versions {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintf(&b, "- %s\n", cli.Markdown(v))
	}
	switch others := len(found.Changes) - rows; others {
	case 0:
	case 1:
		fmt.Fprint(&b, "\n1 other change is compatible.\n")
	default:
		fmt.Fprintf(&b, "\n%d other changes are compatible.\n", others)
	}
	return b.String()
}

// kind describes the change in words.
func (c compared) kind(change compat.Change) string {
	var words []string
	if change.Class == compat.Breaking {
		words = append(words, "breaking")
	}
	if change.Downgrade {
		weaker := "weaker"
		if why := c.why(change); why != "" {
			weaker = fmt.Sprintf("weaker (allowed: %s)", why)
		}
		words = append(words, weaker)
	}
	return strings.Join(words, ", ")
}
