package compat

func failureKinds() []Kind {
	return []Kind{
		{ID: "failure.added", Class: Additive,
			Summary: "The tool has one more failure.",
			Reason:  "The class in the outcome is enough for a code that callers do not know."},
		{ID: "failure.removed", Class: Patch,
			Summary: "A failure was removed.",
			Reason:  "Callers no longer have to expect it."},
		{ID: "failure.nowFatal", Class: Breaking,
			Summary: "A failure is fatal now.",
			Reason:  "Callers that tried again have to stop."},
		{ID: "failure.nowRetryable", Class: Additive,
			Summary: "A failure is retryable now.",
			Reason:  "Callers that stop may still do so."},
		{ID: "failure.effectPossible", Class: Breaking,
			Summary: "A failure may have had its effect.",
			Reason:  "A repeated call that was safe may have the effect twice."},
		{ID: "failure.effectImpossible", Class: Additive,
			Summary: "A failure has had no effect.",
			Reason:  "Every caller may do as before. A managed call runs again after it."},
		{ID: "failure.by", Class: Patch,
			Summary: "A failure is answered by the tool instead of the guard, or the reverse.",
			Reason:  "Callers act on the code and the class."},
		{ID: "failure.text", Class: Patch,
			Summary: "The description of a failure changed.",
			Reason:  "It is for people and models, which act on the code and the class."},
		{ID: "failures.guard", Class: Patch,
			Summary: "The guard's lines in the list of failures changed.",
			Reason:  "They follow from other clauses, whose changes have their own classes."},
	}
}
