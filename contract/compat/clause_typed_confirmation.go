package compat

// typedConfirmationClause compares whether a person types a word to confirm.
func typedConfirmationClause() clause {
	return clause{
		rules: []Rule{
			{ID: "typedConfirmation.added", Class: Breaking,
				Summary: "A person types a word to confirm a call.",
				Reason:  "Clients and approvers that only ask for yes or no cannot confirm any more."},
			{ID: "typedConfirmation.removed", Class: Additive, Downgrade: true,
				Summary: "A person no longer types a word to confirm a call.",
				Reason:  "Every call still works. A person may confirm without reading."},
		},
		compare: func(d *differ) {
			old, now := d.old.TypedConfirmation, d.now.TypedConfirmation
			ordered(d, "/typedConfirmation", old, now, compareBools(old, now), "typedConfirmation.added", "typedConfirmation.removed")
		},
	}
}
