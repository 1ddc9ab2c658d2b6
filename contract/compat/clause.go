package compat

import "slices"

// A clause compares one clause of two contracts. A new clause is an
// entry in the list of its theme.
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
	return slices.Concat(
		[]clause{{rules: toolRules()}},
		formClauses(), nameClauses(), textClauses(), riskClauses(), trustClauses(), accessClauses(), consentClauses(),
		repetitionClauses(), limitClauses(), failureClauses(),
		[]clause{{rules: capabilityRules()}, {rules: sharedRules()}},
		schemaClauses(),
	)
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
