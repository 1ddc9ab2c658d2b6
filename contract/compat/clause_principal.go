package compat

// principalClause compares what several clauses together demand of anonymous
// callers. It has no member of its own.
func principalClause() clause {
	return clause{
		rules: []Rule{
			{ID: "principal.demanded", Class: Breaking,
				Summary: "Anonymous callers are refused now.",
				Reason:  "Callers that do not authenticate get unauthenticated."},
			{ID: "principal.waived", Class: Additive, Downgrade: true,
				Summary: "Anonymous callers are admitted now.",
				Reason:  "Every call still works. Callers without an identity may call too."},
		},
		compare: func(d *differ) {
			switch old, now := d.old.NeedsPrincipal(), d.now.NeedsPrincipal(); {
			case now && !old:
				d.add("principal.demanded", "", nil, nil)
			case old && !now:
				d.add("principal.waived", "", nil, nil)
			}
		},
	}
}
