package compat

import (
	"slices"
)

// nameClause compares the tool's own name.
func nameClause() clause {
	return clause{
		rules: []Rule{
			{ID: "name.changed", Class: Additive,
				Summary: "A tool has another name and keeps the old one as an alias.",
				Reason:  "The old name can still be called, and the outcome names the new one."},
			{ID: "name.replaced", Class: Breaking,
				Summary: "A tool has another name, and the old one is not an alias.",
				Reason:  "Callers of the old name get the error of an unknown tool."},
		},
		compare: (*differ).name,
	}
}

func (d *differ) name() {
	old, now := d.old.Name, d.now.Name
	switch {
	case old == now:
	case slices.Contains(d.now.Aliases, old):
		d.add("name.changed", "/name", old, now)
	default:
		d.add("name.replaced", "/name", old, now)
	}
}
