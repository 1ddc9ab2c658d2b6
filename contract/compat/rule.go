package compat

// A Rule is how [Diff] classifies one kind of change. A change whose class
// depends on its direction has two rules.
type Rule struct {
	// ID is the stable identifier in [Change.Rule].
	ID string
	// Class is the number of the version that the change asks for.
	Class Class
	// Downgrade reports whether a care or protection is weaker after the
	// change.
	Downgrade bool
	// Unknown reports whether the direction of the change cannot be determined.
	// Class is Breaking then.
	Unknown bool
	// Summary is the change in a sentence.
	Summary string
	// Reason is why the change has its class, from the caller's view. For a
	// downgrade it also has the operator's view.
	Reason string
}

// Rules returns the rules of [Diff] in the order in which a contract is read:
// those of the clauses, then those of the schemas. The slice belongs to the
// caller.
func Rules() []Rule {
	var rules []Rule
	for _, c := range clauses() {
		rules = append(rules, c.rules...)
	}
	return rules
}

// toolRules returns the rules of whole tools and of the server.
func toolRules() []Rule {
	return []Rule{
		{ID: "tool.added", Class: Additive,
			Summary: "A tool is new.",
			Reason:  "No caller knows it yet."},
		{ID: "tool.removed", Class: Breaking,
			Summary: "A tool was removed.",
			Reason:  "Callers of the tool get the error of an unknown tool."},
		{ID: "tool.retired", Class: Breaking,
			Summary: "A deprecated tool was removed.",
			Reason:  "Its callers were warned. They get the error of an unknown tool."},
		{ID: "names.changed", Class: Breaking,
			Summary: "The server lists names in another form.",
			Reason:  "Callers that know a name without the list get the error of an unknown tool."},
	}
}

// sharedRules returns the rules that any clause may use.
func sharedRules() []Rule {
	return []Rule{
		{ID: "default.stated", Class: Patch,
			Summary: "A clause states its default, or leaves it out.",
			Reason:  "Its meaning is the same."},
		{ID: "order.changed", Class: Patch,
			Summary: "A list has another order.",
			Reason:  "The order has no meaning."},
	}
}
