package compat

import (
	"cmp"
)

// effectClause compares the kinds of change.
func effectClause() clause {
	return clause{
		rules: []Rule{
			{ID: "effect.graver", Class: Breaking,
				Summary: "The effect is higher.",
				Reason:  "A call does more than its callers agreed to."},
			{ID: "effect.milder", Class: Additive, Downgrade: true,
				Summary: "The effect is lower.",
				Reason:  "Every call still works. Hosts and people are less careful with it."},
		},
		compare: func(d *differ) {
			order := cmp.Compare(d.now.effective.Effect, d.old.effective.Effect)
			ordered(d, "/effect", d.old.Effect, d.now.Effect, order, "effect.graver", "effect.milder")
		},
	}
}
