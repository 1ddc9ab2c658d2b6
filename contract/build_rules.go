package contract

// BuildRules returns the rules that Build checks on clauses and tags, in the
// order of the checks, in a slice that belongs to the caller. Mistakes in types
// and schemas have rule IDs that begin with "schema.".
func BuildRules() []BuildRule {
	all := []BuildRule{
		{ID: ruleHandlerNil, Summary: "A tool has a handler."},
	}
	all = append(all, bindRules()...)
	for _, c := range clauses {
		all = append(all, c.rules...)
	}
	all = append(all, BuildRule{ID: ruleTextForm, Summary: "A text for people and models is UTF-8 without hidden characters: " +
		"trust.Sanitize does not change it."})
	all = append(all, tagRules()...)
	return append(all,
		BuildRule{ID: ruleRestrictedExpose, Summary: "A restricted tool returns a struct with exposed fields, and publishes no " +
			"schema but its own."},
		BuildRule{ID: ruleFieldTag, Summary: "A contract field tag is sensitive, secret, review, expose or idempotency-key, where " +
			"it applies."},
	)
}
