package contracttest

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
)

// Check fails t where the tools' contracts are not complete and consistent: for every finding of [Inspect] with the
// severity [Error]. The others are logged. Hand it all tools of a server at once: some rules are about names that two
// tools share.
//
// A finding that is meant so is accepted, with a reason:
//
//	contracttest.Inspect(tools...).
//		Accept("name.length", "Our own host takes 128 characters.").
//		Assert(t)
func Check(t testing.TB, tools ...*contract.Tool) {
	t.Helper()
	Inspect(tools...).Assert(t)
}

// Inspect holds tools to every one of [Rules] and returns what it found. It calls no handler, and the same tools give
// the same report in whatever order they are given. A nil tool, and no tools at all, are findings too.
func Inspect(tools ...*contract.Tool) Report {
	r := Report{Tools: []string{}, Findings: []Finding{}}
	if len(tools) == 0 {
		return r.with(finding(ruleToolsNone, "", "", "there is nothing to inspect"))
	}
	var set []*subject
	for _, t := range tools {
		if t == nil {
			r.Findings = append(r.Findings, finding(ruleToolNil, "", "", "a tool is nil"))
			continue
		}
		r.Tools = append(r.Tools, t.Name())
		set = append(set, newSubject(t))
	}
	for _, s := range set {
		s.all = set
		for _, rule := range ruleTable {
			if rule.judge == nil {
				continue
			}
			rule.judge(s, func(clause, message string) {
				r.Findings = append(r.Findings, rule.finding(s.doc.Name, clause, message))
			})
		}
	}
	return r.with()
}

// A subject is one tool under inspection.
type subject struct {
	tool *contract.Tool
	doc  contract.Document
	// all are the subjects of the inspection, this one included.
	all []*subject
	// input and outputMembers are the members of the two schemas, at any depth.
	input, outputMembers []member
	// inputRoot is the input schema itself.
	inputRoot member
	// output says what the handler returns.
	output bound.OutputKind
}

func newSubject(t *contract.Tool) *subject {
	doc := t.Document()
	s := &subject{tool: t, doc: doc, output: t.Bound(bound.NewKey()).Output}
	s.inputRoot, s.input = members("inputSchema", doc.InputSchema)
	_, s.outputMembers = members("outputSchema", doc.OutputSchema)
	return s
}

func (s *subject) isForbidden() bool { return s.doc.Risk == risk.Forbidden }

// writes reports whether the tool changes anything. An undeclared effect does.
func (s *subject) writes() bool { return s.doc.Effect.AtLeast(risk.LowRiskWrite) }

// reachesOut reports whether a call may change something outside the system. A write that says nothing of its effects
// may.
func (s *subject) reachesOut() bool {
	if s.doc.Effect == risk.ExternalPublication || s.doc.Effect == risk.PaidOperation {
		return true
	}
	for _, e := range s.doc.SideEffects {
		if e.Reach != contract.Internal {
			return true
		}
	}
	return s.writes() && len(s.doc.SideEffects) == 0
}
