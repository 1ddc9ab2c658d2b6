package contracttest

import (
	"iter"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/risk"
)

// Check fails t for every finding of [Inspect] with the severity [Error], and
// logs the others. Pass all tools of a server at once, because some rules
// compare tools.
//
// To accept a finding, give a reason:
//
//	contracttest.Inspect(tools...).
//		Accept("name.length", "Our own host takes 128 characters.").
//		Assert(t)
func Check(t testing.TB, tools ...*contract.Tool) {
	t.Helper()
	Inspect(tools...).Assert(t)
}

// Inspect checks tools against all [Demands] and returns the findings. It calls
// no handler. The same tools give the same report, in any order. A nil tool is
// a finding, and so is having no tools at all.
func Inspect(tools ...*contract.Tool) Inspection {
	r := Inspection{Tools: []string{}, Findings: []Finding{}}
	if len(tools) == 0 {
		return r.with(finding(ruleToolsNone, "", "", "there is nothing to inspect"))
	}
	var set []*subject
	for _, t := range tools {
		if t == nil {
			r.Findings = append(r.Findings, finding(ruleToolNil, "", "", "a tool is nil"))
			continue
		}
		set = append(set, newSubject(t.Document(), bound.Of(t).Facts().Output))
	}
	return r.of(set)
}

// InspectSnapshot checks a snapshot's contracts against all [Demands], as
// [Inspect] does with tools. A tool without an output schema counts as one that
// returns only text.
func InspectSnapshot(s compat.Snapshot) Inspection {
	r := Inspection{Tools: []string{}, Findings: []Finding{}}
	if len(s.Tools) == 0 {
		return r.with(finding(ruleToolsNone, "", "", "there is nothing to inspect"))
	}
	var set []*subject
	for _, doc := range s.Tools {
		output := bound.Structured
		if len(doc.OutputSchema) == 0 {
			output = bound.Text
		}
		set = append(set, newSubject(doc, output))
	}
	return r.of(set)
}

// of returns the report with the subjects and their findings.
func (r Inspection) of(set []*subject) Inspection {
	for _, s := range set {
		r.Tools = append(r.Tools, s.doc.Name)
		s.all = set
		for _, rule := range demandTable {
			if rule.judge == nil {
				continue
			}
			rule.judge(s, func(clause, message string) {
				r.Findings = append(r.Findings, rule.finding(s.doc.Name, clause, message))
			})
		}
	}
	for _, rule := range demandTable {
		if rule.judgeAll == nil {
			continue
		}
		if message := rule.judgeAll(set); message != "" {
			r.Findings = append(r.Findings, rule.finding("", rule.Clause, message))
		}
	}
	return r.with()
}

// A subject is one tool under inspection.
type subject struct {
	doc contract.Document
	// all has every subject of the inspection, including this one.
	all []*subject
	// inputSchema and outputSchema are nil if the tool has none.
	inputSchema, outputSchema *tree.Document
	// input and outputMembers are the members of the two schemas, at any depth.
	input, outputMembers []member
	// inputRoot is the input schema.
	inputRoot member
	// output is the kind of result that the handler returns.
	output bound.OutputKind
}

func newSubject(doc contract.Document, output bound.OutputKind) *subject {
	s := &subject{
		doc: doc, output: output,
		inputSchema: readSchema(doc.InputSchema), outputSchema: readSchema(doc.OutputSchema),
	}
	s.inputRoot, s.input = members("inputSchema", s.inputSchema)
	_, s.outputMembers = members("outputSchema", s.outputSchema)
	return s
}

// schemas returns the schemas that the tool has, with their clauses.
func (s *subject) schemas() iter.Seq2[string, *tree.Document] {
	return func(yield func(string, *tree.Document) bool) {
		if s.inputSchema != nil && !yield("inputSchema", s.inputSchema) || s.outputSchema == nil {
			return
		}
		yield("outputSchema", s.outputSchema)
	}
}

func (s *subject) isForbidden() bool { return s.doc.Risk == risk.Forbidden }

// writes reports whether the tool may change anything. A tool that declares no
// effect may.
func (s *subject) writes() bool { return s.doc.Effect.AtLeast(risk.LowRiskWrite) }

// reachesOut reports whether a call may change something outside the system. A
// write that declares no side effects may.
func (s *subject) reachesOut() bool {
	if s.doc.Sends || s.doc.Effect == risk.ExternalPublication || s.doc.Effect == risk.PaidOperation {
		return true
	}
	for _, e := range s.doc.SideEffects {
		if e.Reach != contract.Internal {
			return true
		}
	}
	return s.writes() && len(s.doc.SideEffects) == 0
}
