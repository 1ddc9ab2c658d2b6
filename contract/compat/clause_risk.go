package compat

import (
	"cmp"

	"github.com/toolcontract/toolcontract/risk"
)

// riskClause compares the levels of risk.
func riskClause() clause {
	return clause{
		rules: []Rule{
			{ID: "risk.raised", Class: Breaking,
				Summary: "The risk is higher.",
				Reason:  "A call that ran without a question may need a confirmation now, be refused to anonymous callers, or be blocked by a caller's policy."},
			{ID: "risk.forbidden", Class: Breaking,
				Summary: "The tool is forbidden.",
				Reason:  "It is not listed any more, and callers get the error of an unknown tool."},
			{ID: "risk.lowered", Class: Additive, Downgrade: true,
				Summary: "The risk is lower.",
				Reason:  "Every call still works, with less care."},
		},
		compare: (*differ).risk,
	}
}

func (d *differ) risk() {
	higher := "risk.raised"
	if d.now.effective.Risk == risk.Forbidden {
		higher = "risk.forbidden"
	}
	order := cmp.Compare(d.now.effective.Risk, d.old.effective.Risk)
	ordered(d, "/risk", d.old.Risk, d.now.Risk, order, higher, "risk.lowered")
}
