package main

import (
	"fmt"
	"os"
	"strings"
)

// The marks between which README.md has the table.
const (
	tableBegins = "<!-- The table is written by: go run -C benchmarks . -write README.md -->\n"
	tableEnds   = "<!-- end of the table -->\n"
)

// table returns the ratios that were measured as a table of Markdown, below the
// machine and the date.
func (r report) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s. Processor: %s. Medians of up to %d rounds.\n\n", r.Date, r.Machine, r.Rounds)
	b.WriteString("| ratio | meaning | median | quartiles | goal |\n|---|---|---|---|---|\n")
	for _, row := range ratios {
		value, ok := r.Ratios[row.name]
		if !ok {
			continue
		}
		spread := ""
		if s, ok := r.Spread[row.name]; ok {
			spread = fmt.Sprintf("%.2f to %.2f", s[0], s[1])
		}
		fmt.Fprintf(&b, "| `%s` | %s | %.2f | %s | %s |\n", row.name, row.means, value, spread, row.goal)
	}
	return b.String()
}

// tableIn returns the table in a text, and what stands before and after it.
func tableIn(text string) (before, table, after string, ok bool) {
	before, rest, begins := strings.Cut(text, tableBegins)
	table, after, ends := strings.Cut(rest, tableEnds)
	return before, table, after, begins && ends
}

// writeTable replaces the table in a file.
func (r report) writeTable(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, _, after, ok := tableIn(string(text))
	if !ok {
		return fmt.Errorf("%s has no table to replace; write the lines %q and %q", path, tableBegins, tableEnds)
	}
	return os.WriteFile(path, []byte(before+tableBegins+"\n"+r.table()+"\n"+tableEnds+after), 0o644)
}
