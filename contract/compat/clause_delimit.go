package compat

import "cmp"

// delimitClause compares which texts are delimited. If neither contract
// declares it, the trust in results is compared instead.
func delimitClause() clause {
	return clause{
		rules: []Rule{
			{ID: "delimit.more", Class: Breaking,
				Summary: "More texts are delimited.",
				Reason:  "A program that read such a text finds lines around it."},
			{ID: "delimit.fewer", Class: Additive, Downgrade: true,
				Summary: "Fewer texts are delimited.",
				Reason:  "Every text can be read as before. A model may follow instructions in it."},
		},
		compare: func(d *differ) {
			old, now := d.old.Delimit, d.now.Delimit
			if old.IsZero() && now.IsZero() {
				return
			}
			order := cmp.Compare(now.Effective(d.now.ContentTrust), old.Effective(d.old.ContentTrust))
			ordered(d, "/delimit", old, now, order, "delimit.more", "delimit.fewer")
		},
	}
}
