package contracttest

import "slices"

// A Demand is one thing that [Inspect] demands of a contract.
type Demand struct {
	// ID is the stable ID of the demand's rule, as in [Finding].Rule. No rule
	// of package contract has the same ID.
	ID string
	// Severity is the severity of its findings.
	Severity Severity
	// Clause is the clause of the document that the demand is about. Empty: it
	// is not about a single clause.
	Clause string
	// Summary is the demand in words.
	Summary string
	// Remedy is the advice for a contract that breaks the demand.
	Remedy string

	judge    judge
	judgeAll judgeAll
}

// A judge reports what is wrong with one tool. It is nil for demands about
// calls of [Inspect] and [Inspection.Accept], and for those with a judgeAll.
type judge func(s *subject, report reportFunc)

// A judgeAll describes what is wrong with all tools of a server, in a single
// finding, or returns "". Most demands have none.
type judgeAll func(set []*subject) (message string)

// A reportFunc records a finding at a clause.
type reportFunc func(clause, message string)

// Demands returns all demands in a fixed order. The slice belongs to the
// caller.
func Demands() []Demand { return slices.Clone(demandTable) }

func (r Demand) finding(tool, clause, message string) Finding {
	return Finding{Rule: r.ID, Severity: r.Severity, Tool: tool, Clause: clause, Message: message, Remedy: r.Remedy}
}

// finding returns a finding for a demand without a judge.
func finding(id, tool, clause, message string) Finding {
	for _, r := range demandTable {
		if r.ID == id {
			return r.finding(tool, clause, message)
		}
	}
	return Finding{Rule: id, Tool: tool, Clause: clause, Message: message}
}
