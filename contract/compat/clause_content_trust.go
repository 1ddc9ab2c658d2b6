package compat

// contentTrustClause compares the trust in results. Levels have no total order:
// each may demand a caution that the other does not.
func contentTrustClause() clause {
	return clause{
		rules: []Rule{
			{ID: "contentTrust.stricter", Class: Breaking,
				Summary: "The content is trusted less.",
				Reason:  "Callers used results with less care than they need now, and may refuse them."},
			{ID: "contentTrust.weaker", Class: Additive, Downgrade: true,
				Summary: "The content is trusted more.",
				Reason:  "Every result can be used as before. Consumers are less careful with it."},
			{ID: "contentTrust.other", Class: Breaking, Downgrade: true,
				Summary: "The content needs another kind of care.",
				Reason:  "Neither kind includes the other: callers need a care that they did not take, and drop one that they did."},
		},
		compare: (*differ).contentTrust,
	}
}

func (d *differ) contentTrust() {
	const pointer = "/contentTrust"
	old, now := d.old.effective.ContentTrust, d.now.effective.ContentTrust
	order := 0
	switch weaker := now.IsWeakerThan(old); {
	case weaker && old.IsWeakerThan(now):
		d.add("contentTrust.other", pointer, orNothing(d.old.ContentTrust), orNothing(d.now.ContentTrust))
		return
	case weaker:
		order = -1
	case old != now:
		order = 1
	}
	ordered(d, pointer, d.old.ContentTrust, d.now.ContentTrust, order, "contentTrust.stricter", "contentTrust.weaker")
}
