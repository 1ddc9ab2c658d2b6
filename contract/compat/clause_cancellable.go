package compat

import (
	"github.com/toolcontract/toolcontract/risk"
)

// cancellableClause compares whether a write ends when its caller goes away.
func cancellableClause() clause {
	return clause{
		rules: []Rule{
			{ID: "cancellable.changed", Class: Breaking,
				Summary: "Whether a write ends with its caller changed.",
				Reason:  "If the caller goes away, the call ends in another state than before."},
			{ID: "cancellable.ofRead", Class: Patch,
				Summary: "Whether a write ends with its caller changed, for a tool that only reads.",
				Reason:  "A read always ends with its caller."},
		},
		compare: func(d *differ) {
			old, now := d.old.Cancellable, d.now.Cancellable
			switch {
			case old == now:
			case d.old.Effect == risk.ReadOnly && d.now.Effect == risk.ReadOnly:
				d.add("cancellable.ofRead", "/cancellable", old, now)
			default:
				d.add("cancellable.changed", "/cancellable", old, now)
			}
		},
	}
}
