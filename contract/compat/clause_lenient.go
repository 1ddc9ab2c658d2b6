package compat

import "github.com/toolcontract/toolcontract/contract"

// lenientClause compares the forms in which arguments may be sent.
func lenientClause() clause {
	return clause{
		rules: []Rule{
			{ID: "lenient.added", Class: Additive,
				Summary: "Arguments may be sent in one more form.",
				Reason:  "Every call that was accepted means the same as before."},
			{ID: "lenient.removed", Class: Breaking,
				Summary: "Arguments may be sent in one form less.",
				Reason:  "Calls that send this form are refused."},
		},
		compare: func(d *differ) {
			d.set("/lenient", leniencies(d.old.Lenient), leniencies(d.now.Lenient), "lenient.added", "lenient.removed", "")
		},
	}
}

func leniencies(forms []contract.Leniency) []string {
	var all []string
	for _, form := range forms {
		all = append(all, form.String())
	}
	return all
}
