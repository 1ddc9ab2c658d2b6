package failurecheck

import (
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/toolcontract/toolcontract/contract/verify/failurecheck/internal/slice"
)

// Analyzer reports findings for the tools whose builders are in the source. A
// builder that it cannot follow is unknown, and reported only with the flag
// -unknown.
var Analyzer = newAnalyzer()

func newAnalyzer() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:       "failurecheck",
		Doc:        "compares the errors that handlers of tools can return with the failures that the tools declare",
		URL:        "https://pkg.go.dev/github.com/toolcontract/toolcontract/contract/verify/failurecheck",
		ResultType: reflect.TypeFor[[]verdict](),
		FactTypes:  []analysis.Fact{new(dependsFact), new(errorsFact)},
	}
	reportsUnknown := a.Flags.Bool("unknown", false, "also report the errors and the builders that cannot be followed")
	a.Run = func(pass *analysis.Pass) (any, error) { return run(pass, *reportsUnknown), nil }
	return a
}

// A dependsFact means that a package depends on package contract.
type dependsFact struct{}

// AFact marks the type for package analysis.
func (*dependsFact) AFact() {}

// String describes the fact to people who debug the analyzer.
func (*dependsFact) String() string { return "depends" }

// An errorsFact has the errors of a function or a variable.
type errorsFact struct{ Errors slice.Fact }

// AFact marks the type for package analysis.
func (*errorsFact) AFact() {}

func run(pass *analysis.Pass, reportsUnknown bool) []verdict {
	if !depends(pass) {
		return nil
	}
	pass.ExportPackageFact(new(dependsFact))
	if pass.Pkg.Path() == slice.ContractPath {
		return nil // its functions are known by their names
	}
	pkg := build(pass)
	files := newSource(pass.Fset, pass.Files)
	slicer := slicerOf(pass)
	slicer.Allowed = files.allows
	functions := slice.Functions(pkg)
	exportFacts(pass, slicer, pkg, functions)
	var all []verdict
	for _, d := range slicer.Declarations(functions) {
		v := judgeDeclaration(slicer, d, files)
		for _, f := range v.Findings {
			pass.Report(analysis.Diagnostic{Pos: f.pos, Category: f.Rule, Message: f.String()})
		}
		if reportsUnknown && v.Answer == unknown {
			for _, p := range v.Unknown {
				pass.Report(analysis.Diagnostic{Pos: d.Pos, Category: "unknown", Message: "[unknown] " + v.Tool + ": " + p.String()})
			}
		}
		all = append(all, v)
	}
	return all
}

func judgeDeclaration(s *slice.Slicer, d *slice.Declaration, files source) verdict {
	contract := declared{tool: d.Tool, codes: d.Codes, otherErrors: d.OtherErrors, complete: !d.Incomplete}
	if d.Handler == nil {
		return verdict{Tool: d.Tool, Unknown: []place{{files.fset.Position(d.Pos), "the handler is not known here"}}}
	}
	errors := s.ErrorsOf(d.Pos, append(d.Previews, d.Handler)...)
	v := judge(contract, errors, files)
	v.Handler = d.Handler.String()
	return v
}

// depends reports whether the package is package contract or imports a package
// that depends on it.
func depends(pass *analysis.Pass) bool {
	if pass.Pkg.Path() == slice.ContractPath {
		return true
	}
	for _, p := range pass.Pkg.Imports() {
		if pass.ImportPackageFact(p, new(dependsFact)) {
			return true
		}
	}
	return false
}

// build makes the SSA form of the package. Package buildssa does the same, but
// also for all packages that need no check.
func build(pass *analysis.Pass) *ssa.Package {
	prog := ssa.NewProgram(pass.Fset, 0)
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	return pkg
}

func slicerOf(pass *analysis.Pass) *slice.Slicer {
	dependent := map[string]bool{pass.Pkg.Path(): true}
	for _, f := range pass.AllPackageFacts() {
		dependent[f.Package.Path()] = true
	}
	return &slice.Slicer{
		Function: func(fn *types.Func) *slice.Fact {
			var fact errorsFact
			if fn.Pkg() == pass.Pkg || !pass.ImportObjectFact(fn, &fact) {
				return nil
			}
			return &fact.Errors
		},
		Variable: func(v *types.Var) *slice.Fact {
			var fact errorsFact
			if !pass.ImportObjectFact(v, &fact) {
				return nil
			}
			return &fact.Errors
		},
		Foreign: func(path string) bool { return !dependent[path] },
	}
}

// exportFacts exports what other packages need of this one.
func exportFacts(pass *analysis.Pass, s *slice.Slicer, pkg *ssa.Package, functions []*ssa.Function) {
	for _, fn := range functions {
		obj, ok := fn.Object().(*types.Func)
		if ok && fn.Parent() == nil && obj.Exported() && obj.Pkg() == pass.Pkg && slice.ReturnsError(fn) {
			pass.ExportObjectFact(obj, &errorsFact{*s.Errors(fn).Fact()})
		}
	}
	for _, member := range pkg.Members {
		g, ok := member.(*ssa.Global)
		if !ok || g.Object() == nil || !g.Object().Exported() {
			continue
		}
		if fact := s.VariableFact(g); fact != nil {
			pass.ExportObjectFact(g.Object(), &errorsFact{*fact})
		}
	}
}
