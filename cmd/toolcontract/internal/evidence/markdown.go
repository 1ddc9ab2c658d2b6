package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contracttest"
)

// words are the verdicts for people.
var words = map[string]string{
	"met": "met", "declared": "declared but not enforced here", "unmet": "not met", "outside": "outside",
}

const manual = "https://github.com/toolcontract/toolcontract/blob/main/docs/"

// markdown returns the report with a table for each section of the standard.
func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s, chapters C9 and C10\n\n| verdict | requirements |\n|---|---|\n", r.Standard, r.Version)
	for _, verdict := range []string{"met", "declared", "unmet", "outside"} {
		fmt.Fprintf(&b, "| %s | %d |\n", words[verdict], r.Counts[verdict])
	}
	fmt.Fprintf(&b, "\n%s\n\nTools: %s\n", r.Note, codes(r.Tools))
	section := ""
	for _, one := range r.Requirements {
		if id := one.ID[:strings.LastIndex(one.ID, ".")]; id != section {
			section = id
			fmt.Fprintf(&b, "\n## %s\n\n| requirement | level | verdict | why | shown by |\n|---|---|---|---|---|\n", section)
		}
		fmt.Fprintf(&b, "| **%s** %s | %d | %s | %s | %s |\n", one.ID, one.Demand, one.Level, words[one.Verdict],
			strings.Join(r.why(one), "<br>"), strings.Join(shown(one), "<br>"))
	}
	return b.String()
}

// why returns what the tools lack, what they have, and the note.
func (r *report) why(one contracttest.Requirement) (lines []string) {
	for _, texts := range []map[string]string{one.Lacks, one.By} {
		tools := map[string][]string{}
		for _, tool := range slices.Sorted(maps.Keys(texts)) {
			tools[texts[tool]] = append(tools[texts[tool]], tool)
		}
		for _, text := range slices.Sorted(maps.Keys(tools)) {
			names := codes(tools[text])
			if len(tools[text]) > 1 && len(tools[text]) == len(r.Tools) {
				names = "**all tools**" // no name is shown like this
			}
			lines = append(lines, names+": "+cli.Markdown(text))
		}
	}
	if one.Note != "" {
		lines = append(lines, "*"+one.Note+"*")
	}
	return lines
}

// shown returns the tests and the manual page behind the verdict.
func shown(one contracttest.Requirement) (lines []string) {
	if one.Verdict == "met" || one.Verdict == "declared" {
		for _, test := range one.Tests {
			lines = append(lines, "`"+test+"`")
		}
	}
	if one.Page != "" {
		lines = append(lines, fmt.Sprintf("[%s](%s%s)", one.Page, manual, one.Page))
	}
	return lines
}

// codes formats a server's names as code.
func codes(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = cli.MarkdownCode(name)
	}
	return strings.Join(all, ", ")
}
