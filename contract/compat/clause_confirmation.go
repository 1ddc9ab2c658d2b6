package compat

import (
	"cmp"
)

// confirmationClause compares when a person is asked.
func confirmationClause() clause {
	return clause{
		rules: []Rule{
			{ID: "confirmation.raised", Class: Breaking,
				Summary: "A person is asked more often.",
				Reason:  "A client that cannot ask is refused, and a person may decline."},
			{ID: "confirmation.lowered", Class: Additive, Downgrade: true,
				Summary: "A person is asked less often.",
				Reason:  "Every call still works. Fewer calls are confirmed by a person."},
		},
		compare: func(d *differ) {
			order := compareConfirmations(d)
			ordered(d, "/confirmation", d.old.Confirmation, d.now.Confirmation, order, "confirmation.raised", "confirmation.lowered")
		},
	}
}

// autonomousClause compares whether an agent may run the tool without a person.
// That follows from the confirmation, except for forbidden tools and documents
// of other servers, so it is compared only if the confirmation is the same.
func autonomousClause() clause {
	return clause{
		rules: []Rule{
			{ID: "autonomous.granted", Class: Additive, Downgrade: true,
				Summary: "An agent may run the tool without a person.",
				Reason:  "Every call still works. No person has to be present."},
			{ID: "autonomous.revoked", Class: Breaking,
				Summary: "An agent may not run the tool without a person.",
				Reason:  "Agents that ran alone need a person now."},
		},
		compare: func(d *differ) {
			switch old, now := d.old.Autonomous, d.now.Autonomous; {
			case old == now || compareConfirmations(d) != 0:
			case now:
				d.add("autonomous.granted", "/autonomous", old, now)
			default:
				d.add("autonomous.revoked", "/autonomous", old, now)
			}
		},
	}
}

func compareConfirmations(d *differ) int {
	return cmp.Compare(d.now.effective.Confirmation, d.old.effective.Confirmation)
}
