package failurecheck

import (
	"fmt"
	"go/token"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/verify/failurecheck/internal/slice"
)

// Check fails the test for every finding about the tools. It logs the errors
// that it could not follow, because unknown is not a pass. It also fails the
// test if the tools' source cannot be loaded, or if there are no tools.
//
// Check reads the handlers' source, so it needs the go command and must run in
// the module's folder, as every test does.
func Check(t testing.TB, tools ...*contract.Tool) {
	t.Helper()
	if len(tools) == 0 {
		t.Error("failurecheck: there are no tools; pass all tools of the server")
		return
	}
	verdicts, err := inspect(tools...)
	if err != nil {
		t.Error(err)
		return
	}
	for _, v := range verdicts {
		for _, f := range v.Findings {
			t.Errorf("failurecheck: %s: %s", f.Position, f)
		}
		for _, p := range v.Unknown {
			t.Logf("failurecheck: %s: unknown: %s", v.Tool, p)
		}
	}
}

// inspect returns a verdict for each tool, in order, leaving out nil tools. The
// error says why the source cannot be loaded.
func inspect(tools ...*contract.Tool) ([]verdict, error) {
	var all []subject
	for _, tool := range tools {
		if tool != nil {
			all = append(all, subject{tool, observe.FactsOf(tool)})
		}
	}
	p, err := load(all, false)
	if err == nil && !p.hasAll(all) {
		p, err = load(all, true)
	}
	if err != nil {
		return nil, err
	}
	var verdicts []verdict
	for _, s := range all {
		verdicts = append(verdicts, p.verdict(s))
	}
	return verdicts, nil
}

// A subject is one tool and what is known about it.
type subject struct {
	tool  *contract.Tool
	facts observe.Facts
}

// errorFunctions returns the functions whose errors reach the tool's callers.
func (s subject) errorFunctions() []observe.Function {
	all := []observe.Function{s.facts.Handler}
	if s.facts.DryRun != (observe.Function{}) {
		all = append(all, s.facts.DryRun)
	}
	return all
}

func (p *program) hasAll(all []subject) bool {
	for _, s := range all {
		for _, f := range s.errorFunctions() {
			if p.locate(f) == nil {
				return false
			}
		}
	}
	return true
}

func (p *program) verdict(s subject) verdict {
	name := s.tool.Name()
	var found []*ssa.Function
	var missing []place
	for _, f := range s.errorFunctions() {
		fn := p.locate(f)
		if fn == nil {
			missing = append(missing, place{What: fmt.Sprintf("the source of %s is not in the module of the test", f.Name)})
			continue
		}
		found = append(found, fn)
		if isWrapped(fn) {
			missing = append(missing, place{p.source.fset.Position(fn.Pos()), "results with isError of a wrapped handler"})
		}
	}
	if len(found) == 0 {
		return verdict{Tool: name, Answer: answerUnknown, Unknown: missing}
	}
	v := judge(p.contractOf(s.tool, found[0].Pos()), p.slicer.ErrorsOf(found...), p.source)
	if len(missing) > 0 { // only all errors together show that a failure is never returned
		v.Findings = slices.DeleteFunc(v.Findings, func(f finding) bool { return f.Rule == ruleNeverReturned })
		v.Unknown = append(v.Unknown, missing...)
		v.conclude()
	}
	return v
}

// isWrapped reports whether a handler is one of mcp-go, which can report
// failures in results as well.
func isWrapped(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	return results.Len() == 2 && slice.TypeName(results.At(0).Type()) == "github.com/mark3labs/mcp-go/mcp.CallToolResult"
}

// contractOf returns what a built tool declares. A code that has no variable in
// the source gets the handler's position.
func (p *program) contractOf(tool *contract.Tool, handler token.Pos) declared {
	other := observe.FactsOf(tool).OtherErrors
	d := declared{tool: tool.Name(), codes: map[string]token.Pos{}, reserved: p.reserved, otherErrors: other != ""}
	for _, m := range tool.Document().FailureModes {
		if m.By != contract.ByTool {
			continue
		}
		d.codes[m.Code] = handler
		if at, ok := p.variables[m.Code]; ok {
			d.codes[m.Code] = at
		}
	}
	return d
}
