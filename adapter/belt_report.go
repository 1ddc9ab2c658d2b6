package adapter

import (
	"cmp"
	"slices"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/risk"
)

// Report returns what a contract would bring to tools that have none. It is
// sorted by name.
func (*Belt) Report(tools []Definition) *wrap.Report {
	r := &wrap.Report{}
	for i := range tools {
		r.Tools = append(r.Tools, wrap.Tool{Name: tools[i].Name, Next: nextClauses(&tools[i])})
	}
	slices.SortFunc(r.Tools, func(a, b wrap.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return r
}

// nextClauses returns what the clauses of a contract would bring to a tool with
// these hints.
func nextClauses(d *Definition) []string {
	var next []string
	if _, hidden := d.CleanTexts(); hidden > 0 {
		next = append(next, "a contract first needs CleanTexts: texts of the tool have hidden characters")
	}
	if d.Description == "" {
		next = append(next, "a contract first needs a description")
	}
	effect, _ := d.Annotations.GuessEffect()
	switch effect {
	case risk.ReadOnly:
		next = append(next, "Effect read-only: callers learn that they may retry, and clients that they need not ask")
	case risk.Destructive:
		next = append(next, "Effect destructive, unless you declare less: a person agrees to each call before it runs")
	default:
		next = append(next, "Effect "+effect.String()+": only known callers, and each call is on record before it runs")
	}
	if effect != risk.ReadOnly && !hintIs(d.Annotations.IdempotentHint, true) {
		next = append(next, "Idempotency managed: a repeated call gets the recorded result, not a second effect")
	}
	return append(next, "Permissions: callers without them neither see nor call the tool")
}
