package contracttest

import (
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// A Requirement says how far tools meet one requirement of the OWASP AI
// Security Verification Standard, and which clauses meet it.
type Requirement struct {
	// ID is the number of the requirement, such as "9.2.1". The same number can
	// mean something else in another version of the standard.
	ID string `json:"id"`
	// Level is the standard's lowest level that includes it, from 1 to 3.
	Level int `json:"level"`
	// Demand is a short description of the requirement, in this package's own
	// words.
	Demand string `json:"demand"`
	// Verdict is one of:
	//   - met: every tool has what the requirement needs;
	//   - declared: the contracts declare it, but something other than the guard
	//     must enforce it;
	//   - unmet: at least one tool lacks it, or a summary does not show it;
	//   - outside: contracts say nothing about it.
	Verdict string `json:"verdict"`
	// By has the clauses that meet the requirement, with their values, by tool
	// name.
	By map[string]string `json:"by,omitempty"`
	// Lacks has what is missing, by tool name.
	Lacks map[string]string `json:"lacks,omitempty"`
	// Clauses are the clauses that the requirement is about.
	Clauses []string `json:"clauses,omitempty"`
	// Tests are this library's tests that show what the guard does with the
	// clauses, each as package and name, such as "guard TestX".
	Tests []string `json:"tests,omitempty"`
	// Page is the manual page about it, such as "limits.md".
	Page string `json:"page,omitempty"`
	// Note says what the verdict does not cover.
	Note string `json:"note,omitempty"`
}

// The verdicts about requirements.
const (
	aisvsMet      = "met"
	aisvsDeclared = "declared"
	aisvsUnmet    = "unmet"
	aisvsOutside  = "outside"
)

// worse returns the worse of two verdicts about the same requirement. Unmet is
// worse than outside: the tool is known to lack something.
func worse(a, b string) string {
	order := []string{aisvsMet, aisvsDeclared, aisvsOutside, aisvsUnmet}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// An aisvsRow is one requirement and how to judge it.
type aisvsRow struct {
	// Requirement has the best verdict that tools can reach.
	Requirement
	// Versions are the versions of the standard that have the requirement.
	Versions []string `json:"versions"`
	// Judge names the aisvsJudges that must all agree for each tool. It is empty
	// if no contract can change the verdict.
	Judge string `json:"judge"`
}

//go:embed aisvs.json
var aisvsJSON []byte

// aisvsRows returns the requirements of all versions in the standard's order.
var aisvsRows = sync.OnceValue(func() (rows []aisvsRow) {
	_ = json.Unmarshal(aisvsJSON, &rows)
	return rows
})

// AISVS says how far tools meet the requirements in the chapters C9 and C10 of
// the OWASP AI Security Verification Standard (AISVS). version is "1.0" or
// "1.01-dev"; another one is an error. The result has every requirement, in the
// standard's order.
//
// A document whose Format is zero stands for a tool without a contract. So does
// one with limits or permissions that Build refuses, and so do two documents
// with the same name. One that was read from a [contract.Summary] lacks most
// clauses, so it meets fewer requirements. Without tools, none is met. Forbidden
// tools are ignored, because no server lists them; if one does, pass a document
// with its name and no contract. The order of the tools does not matter.
//
// A contract is only what a server declares. If the server has a guard, the
// Tests of a requirement show that it enforces the contract.
func AISVS(version string, tools ...contract.Document) ([]Requirement, error) {
	served := map[string]*aisvsTool{}
	for _, doc := range tools {
		if doc.Risk == risk.Forbidden {
			continue
		}
		tool := newAISVSTool(doc)
		if served[doc.Name] != nil {
			tool.unfit = "another tool has its name"
		}
		served[doc.Name] = tool
	}
	var all []Requirement
	for _, row := range aisvsRows() {
		if slices.Contains(row.Versions, version) {
			all = append(all, row.judged(served))
		}
	}
	if all == nil {
		return nil, errors.New("contracttest: AISVS: unknown version; use 1.0 or 1.01-dev")
	}
	return all, nil
}

// judged returns the requirement with the verdict about the tools.
func (row aisvsRow) judged(tools map[string]*aisvsTool) Requirement {
	r := row.Requirement
	r.Clauses, r.Tests = slices.Clone(r.Clauses), slices.Clone(r.Tests)
	if row.Judge == "" {
		return r
	}
	if len(tools) == 0 {
		r.Verdict = aisvsUnmet
	}
	r.By, r.Lacks = map[string]string{}, map[string]string{}
	for toolName, tool := range tools {
		var has, lacks []string
		for name := range strings.FieldsSeq(row.Judge) {
			verdict, text := tool.judge(name)
			r.Verdict = worse(r.Verdict, verdict)
			switch verdict {
			case aisvsUnmet:
				lacks = append(lacks, text)
			case aisvsMet, aisvsDeclared:
				has = append(has, text)
			}
		}
		switch {
		case len(lacks) > 0:
			r.Lacks[toolName] = strings.Join(slices.Compact(lacks), "; ")
		case len(has) > 0:
			r.By[toolName] = strings.Join(has, "; ")
		}
	}
	return r
}
