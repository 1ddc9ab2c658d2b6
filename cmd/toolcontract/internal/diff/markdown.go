package diff

import (
	"fmt"
	"regexp"
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
			code(c.Tool), cell(found.kind(c)), code(c.Rule), code(c.Pointer), cell(c.Reason))
	}
	for i, v := range found.Versions {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintf(&b, "- %s\n", cell(v))
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

// special matches characters that Markdown may read as more than text, such as
// a link, an address or a mention.
var special = regexp.MustCompile("[\\\\`*_{}\\[\\]#+!|~:<>&@]|\\.\\b")

// cell returns untrusted text as one line of Markdown that displays it
// literally.
func cell(text string) string {
	return special.ReplaceAllStringFunc(cli.OneLine(text), func(c string) string {
		switch c {
		case "<", ">", "&", "@": // a backslash does not keep all readers from these
			return fmt.Sprintf("&#%d;", c[0])
		default:
			return "\\" + c
		}
	})
}

var identifier = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// code formats an identifier as code, and returns any other text unchanged.
func code(text string) string {
	if identifier.MatchString(text) {
		return "`" + text + "`"
	}
	return cell(text)
}
