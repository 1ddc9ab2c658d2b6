package contracttest

// A Rule is one thing that [Inspect] demands of a contract.
type Rule struct {
	// ID is the stable identifier in [Finding.Rule]. It differs from the IDs of
	// all rules of package contract.
	ID string
	// Severity is the severity of the rule's findings.
	Severity Severity
	// Clause is the clause of the document that the rule is about. Empty: it is
	// not about one clause.
	Clause string
	// Summary is the demand of the rule.
	Summary string
	// Remedy is the advice for a contract that breaks it.
	Remedy string

	judge    judge
	judgeAll judgeAll
}

// A judge reports what is wrong with one tool. It is nil for rules about calls
// of [Inspect] and [Report.Accept], and for those with a judgeAll.
type judge func(s *subject, report reportFunc)

// A judgeAll returns what is wrong with all tools of a server, which is one
// finding, and "" if nothing is. It is nil for most rules.
type judgeAll func(set []*subject) (message string)

// A reportFunc records a finding at a clause.
type reportFunc func(clause, message string)

// Rules returns the rules in a fixed order. The slice belongs to the caller.
func Rules() []Rule { return append([]Rule(nil), ruleTable...) }

func (r Rule) finding(tool, clause, message string) Finding {
	return Finding{Rule: r.ID, Severity: r.Severity, Tool: tool, Clause: clause, Message: message, Remedy: r.Remedy}
}

// finding returns a finding of a rule without a judge.
func finding(id, tool, clause, message string) Finding {
	for _, r := range ruleTable {
		if r.ID == id {
			return r.finding(tool, clause, message)
		}
	}
	return Finding{Rule: id, Tool: tool, Clause: clause, Message: message}
}
