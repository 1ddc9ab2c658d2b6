package compat

// A clause compares one clause of two contracts. A new clause is a function
// that returns it, in the file of its theme, and one line in [clauses].
type clause struct {
	// rules are the rules by which it records changes, besides those of
	// [sharedRules].
	rules []Kind
	// compare records the changes. Nil for rules without a comparison of their
	// own.
	compare func(d *differ)
}

// clauses returns all clauses. [Kinds] has their rules in this order; the order
// of comparison does not matter.
func clauses() []clause {
	return []clause{
		{rules: toolRules()},
		formatClause(),
		nameClause(),
		titleClause(),
		descriptionClause(),
		categoryClause(),
		metadataClause(),
		versionClause(),
		deprecatedClause(),
		aliasesClause(),
		riskClause(),
		effectClause(),
		principalClause(),
		securityLevelClause(),
		contentTrustClause(),
		delimitClause(),
		dataFlowClause(),
		confirmationClause(),
		typedConfirmationClause(),
		confirmationReasonClause(),
		autonomousClause(),
		stepUpClause(),
		permissionsClause(),
		objectAuthorizationClause(),
		noPermissionsClause(),
		discoverWithClause(),
		sideEffectsClause(),
		idempotencyClause(),
		dryRunClause(),
		lenientClause(),
		auditEventClause(),
		failuresClause(),
		rateLimitClause(),
		totalRateLimitClause(),
		retryBudgetClause(),
		timeoutClause(),
		cancellableClause(),
		maxConcurrentClause(),
		maxResultBytesClause(),
		maxArgumentBytesClause(),
		{rules: capabilityRules()},
		{rules: sharedRules()},
		unknownClause(),
		schemasClause(),
	}
}

// A table has the clauses and their rules by ID.
type table struct {
	clauses []clause
	rules   map[string]Kind
}

func newTable() table {
	t := table{clauses: clauses(), rules: map[string]Kind{}}
	for _, c := range t.clauses {
		for _, r := range c.rules {
			t.rules[r.ID] = r
		}
	}
	return t
}
