package compat

// retryBudgetClause compares how often the same call may fail. A contract
// without a budget gets the default of the server, which is not part of the
// contract.
func retryBudgetClause() clause {
	return clause{
		rules: []Rule{
			{ID: "retryBudget.lower", Class: Breaking,
				Summary: "The retry budget allows fewer failures, or its window is longer.",
				Reason:  "A failing call that could be repeated may be refused."},
			{ID: "retryBudget.higher", Class: Additive,
				Summary: "The retry budget allows more failures, or its window is shorter.",
				Reason:  "A failing call can be repeated more often."},
			{ID: "retryBudget.declared", Class: Breaking, Unknown: true,
				Summary: "A retry budget was declared, or a declared one was removed.",
				Reason:  "The default of the server is not part of the contract, so the two cannot be compared."},
		},
		compare: func(d *differ) {
			const pointer = "/retryBudget"
			old, now := d.old.RetryBudget, d.now.RetryBudget
			switch {
			case !present(d, pointer, old, now, "retryBudget.declared", "retryBudget.declared"), *old == *now:
			case now.Failures >= old.Failures && now.WindowSeconds <= old.WindowSeconds:
				d.add("retryBudget.higher", pointer, old, now)
			default:
				d.add("retryBudget.lower", pointer, old, now)
			}
		},
	}
}
