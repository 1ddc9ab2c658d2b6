package contracttest

// A Rule is one thing that [Inspect] demands of a contract.
type Rule struct {
	// ID is stable: a [Finding] carries it. None is that of a [contract.Rule].
	ID string
	// Severity is that of the rule's findings.
	Severity Severity
	// Clause is the clause of the document that the rule is about, "" where it is about none.
	Clause string
	// Summary says what the rule demands.
	Summary string
	// Remedy says what to do where it is broken.
	Remedy string

	judge judge
}

// A judge reports what is wrong with one tool. It is nil for rules about calls of
// [Inspect] and [Report.Accept].
type judge func(s *subject, report reportFunc)

// A reportFunc records a finding at a clause.
type reportFunc func(clause, message string)

// Rules returns the rules in a fixed order, in a slice that belongs to the caller.
func Rules() []Rule { return append([]Rule(nil), ruleTable...) }

func (r Rule) finding(tool, clause, message string) Finding {
	return Finding{Rule: r.ID, Severity: r.Severity, Tool: tool, Clause: clause, Message: message, Remedy: r.Remedy}
}

// finding makes one of a rule that has no judge.
func finding(id, tool, clause, message string) Finding {
	for _, r := range ruleTable {
		if r.ID == id {
			return r.finding(tool, clause, message)
		}
	}
	return Finding{Rule: id, Tool: tool, Clause: clause, Message: message}
}
