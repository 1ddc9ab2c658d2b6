package compat

// retryBudgetClause compares how often the same call may fail. Without a budget
// the server's own holds, which is not part of the contract.
func retryBudgetClause() clause {
	return clause{
		rules: []Rule{
			{ID: "retryBudget.lower", Class: Breaking,
				Summary: "The retry budget has fewer failures, or more time passes until it is renewed.",
				Reason:  "Calls that could be tried again may be refused."},
			{ID: "retryBudget.higher", Class: Additive,
				Summary: "The retry budget has no fewer failures, and is renewed no later.",
				Reason:  "Callers that fail may try more often."},
			{ID: "retryBudget.declared", Class: Breaking, Unknown: true,
				Summary: "A retry budget replaces the default of the server, or the reverse.",
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
