package compat

import (
	"cmp"
)

// timeoutClause compares the bounds on the handler's time.
func timeoutClause() clause {
	return clause{
		rules: []Rule{
			{ID: "timeout.shorter", Class: Breaking,
				Summary: "The handler has less time.",
				Reason:  "Calls that ended in time may time out."},
			{ID: "timeout.longer", Class: Additive,
				Summary: "The handler has more time.",
				Reason:  "Calls that ended in time still do."},
		},
		compare: func(d *differ) {
			limit(d, "/timeoutMs", d.old.TimeoutMs, d.now.TimeoutMs, "timeout.shorter", "timeout.longer")
		},
	}
}

// maxConcurrentClause compares how many calls run at once.
func maxConcurrentClause() clause {
	return clause{
		rules: []Rule{
			{ID: "maxConcurrent.lower", Class: Breaking,
				Summary: "Fewer calls run at once.",
				Reason:  "Callers that ran at once may get unavailable."},
			{ID: "maxConcurrent.higher", Class: Additive,
				Summary: "More calls run at once.",
				Reason:  "Calls that ran at once still do."},
		},
		compare: func(d *differ) {
			limit(d, "/maxConcurrent", d.old.MaxConcurrent, d.now.MaxConcurrent, "maxConcurrent.lower", "maxConcurrent.higher")
		},
	}
}

// maxResultBytesClause compares the bounds on the size of results.
func maxResultBytesClause() clause {
	return clause{
		rules: []Rule{
			{ID: "maxResultBytes.smaller", Class: Breaking,
				Summary: "The largest size of a result is smaller.",
				Reason:  "Calls whose result was delivered may get result_too_large."},
			{ID: "maxResultBytes.larger", Class: Breaking,
				Summary: "The largest size of a result is larger.",
				Reason:  "Callers may have room for the old size only."},
		},
		compare: func(d *differ) {
			order := cmp.Compare(d.now.effective.MaxResultBytes, d.old.effective.MaxResultBytes)
			ordered(d, "/maxResultBytes", d.old.MaxResultBytes, d.now.MaxResultBytes, order, "maxResultBytes.larger", "maxResultBytes.smaller")
		},
	}
}

// maxArgumentBytesClause compares the bounds on the size of arguments.
func maxArgumentBytesClause() clause {
	return clause{
		rules: []Rule{
			{ID: "maxArgumentBytes.smaller", Class: Breaking,
				Summary: "The largest size of arguments is smaller.",
				Reason:  "Calls that were accepted may get invalid_input."},
			{ID: "maxArgumentBytes.larger", Class: Additive,
				Summary: "The largest size of arguments is larger.",
				Reason:  "Calls that were accepted still are."},
		},
		compare: func(d *differ) {
			order := cmp.Compare(d.now.effective.MaxArgumentBytes, d.old.effective.MaxArgumentBytes)
			ordered(d, "/maxArgumentBytes", d.old.MaxArgumentBytes, d.now.MaxArgumentBytes, order, "maxArgumentBytes.larger", "maxArgumentBytes.smaller")
		},
	}
}
