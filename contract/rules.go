package contract

// A Rule is one of the rules that Build checks.
type Rule struct {
	// ID is stable: a [DeclarationError] carries it. It is the clause or the
	// thing that the rule is about, a dot, and what is wrong with it, each a
	// word in lower camel case.
	ID string
	// Summary says what the rule demands.
	Summary string
}

// Rules returns the rules that Build checks on clauses and tags, in the order
// of the checks, in a slice that belongs to the caller. Mistakes in types and
// schemas have rule IDs that begin with "schema.".
func Rules() []Rule {
	all := []Rule{
		{ID: ruleBaseNil, Summary: "From takes a Base."},
		{ID: ruleHandlerNil, Summary: "A tool has a handler."},
	}
	all = append(all, bindRules()...)
	for _, c := range clauses() {
		all = append(all, c.rules...)
	}
	all = append(all, Rule{ID: ruleTextForm, Summary: "A text for people and models is UTF-8 that nothing hides in: trust.Sanitize leaves it as it is."})
	all = append(all, tagRules()...)
	return append(all,
		Rule{ID: ruleRestrictedExpose, Summary: "A restricted tool returns a struct with exposed fields, and publishes no schema but its own."},
		Rule{ID: ruleFieldTag, Summary: "A contract field tag is sensitive, secret, review, expose or idempotency-key, where it applies."},
	)
}
