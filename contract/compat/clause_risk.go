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
				Reason:  "What ran alone may be asked about, refused to anonymous callers, or withheld by a caller's policy."},
			{ID: "risk.forbidden", Class: Breaking,
				Summary: "The tool is forbidden.",
				Reason:  "It is not listed any more and answers as an unknown tool."},
			{ID: "risk.lowered", Class: Additive, Downgrade: true,
				Summary: "The risk is lower.",
				Reason:  "Every call still works; less care is taken of it."},
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
