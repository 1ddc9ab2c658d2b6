package failurecheck

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/verify/failurecheck/internal/slice"
	"github.com/toolcontract/toolcontract/verify/internal/funcname"
)

// A program is the source of some handlers' packages, and of the packages they
// import from their own modules.
type program struct {
	slicer    *slice.Slicer
	functions []*ssa.Function
	source    source
	// variables maps the code of each failure to its position.
	variables map[string]token.Pos
	// reserved has the codes of package contract: the guard can answer with
	// them too, and any error from OtherErrors can have one. A tool may declare
	// them without a path that returns them.
	reserved map[string]bool
}

// load loads the source of the subjects' functions. If tests is set, that
// includes the test files of their packages. Packages that cannot return
// failures, and those of other modules, are read from export data, which is
// fast.
func load(all []subject, tests bool) (*program, error) {
	patterns := patternsOf(all)
	graph, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedModule, Tests: tests,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("failurecheck: list the packages of the handlers: %w", err)
	}
	dependent := dependents(graph)
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Tests: tests}, ownPackages(graph, dependent)...)
	if err != nil {
		return nil, fmt.Errorf("failurecheck: load the packages of the handlers: %w", err)
	}
	pkgs = withTests(pkgs)
	var files []*ast.File
	for _, p := range pkgs {
		for _, e := range p.Errors {
			return nil, fmt.Errorf("failurecheck: %s: %w", p.PkgPath, e)
		}
		files = append(files, p.Syntax...)
	}
	prog, built := ssautil.Packages(pkgs, 0)
	prog.Build()
	out := &program{source: newSource(prog.Fset, files), variables: map[string]token.Pos{}, reserved: map[string]bool{}}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if p.PkgPath == slice.ContractPath && p.Types != nil {
			out.reserve(p.Types)
		}
	})
	out.slicer = &slice.Slicer{
		Foreign: func(path string) bool { is, known := dependent[path]; return known && !is },
		Allowed: out.source.allows,
	}
	for _, pkg := range built {
		if pkg != nil {
			out.add(pkg)
		}
	}
	return out, nil
}

func (p *program) add(pkg *ssa.Package) {
	p.functions = append(p.functions, slice.Functions(pkg)...)
	for _, member := range slices.Sorted(maps.Keys(pkg.Members)) {
		g, ok := pkg.Members[member].(*ssa.Global)
		if !ok || !slice.IsFailure(g) {
			continue
		}
		if code, ok := p.slicer.CodeOf(g); ok {
			p.variables[code] = g.Pos()
		}
	}
}

// reserve notes the codes of package contract: its constants Code….
func (p *program) reserve(contract *types.Package) {
	for _, name := range contract.Scope().Names() {
		c, ok := contract.Scope().Lookup(name).(*types.Const)
		if ok && strings.HasPrefix(name, "Code") && c.Val().Kind() == constant.String {
			p.reserved[constant.StringVal(c.Val())] = true
		}
	}
}

// dependents reports for each package whether it depends on package contract.
func dependents(graph []*packages.Package) map[string]bool {
	all := map[string]bool{}
	packages.Visit(graph, nil, func(p *packages.Package) {
		is := p.PkgPath == slice.ContractPath
		for _, imported := range p.Imports {
			is = is || all[imported.PkgPath]
		}
		all[p.PkgPath] = all[p.PkgPath] || is
	})
	return all
}

// ownPackages returns the paths of those packages in the handlers' modules that
// depend on package contract.
func ownPackages(graph []*packages.Package, dependent map[string]bool) []string {
	modules := map[string]bool{}
	for _, p := range graph {
		if p.Module != nil {
			modules[p.Module.Path] = true
		}
	}
	paths := map[string]bool{}
	packages.Visit(graph, nil, func(p *packages.Package) {
		if p.Module == nil || !modules[p.Module.Path] || !dependent[p.PkgPath] || p.PkgPath == slice.ContractPath {
			return
		}
		paths[strings.TrimSuffix(strings.TrimSuffix(p.PkgPath, ".test"), "_test")] = true
	})
	for _, p := range graph {
		if !strings.HasSuffix(p.PkgPath, ".test") {
			paths[strings.TrimSuffix(p.PkgPath, "_test")] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// withTests drops the packages that have a variant with test files, and the
// generated mains.
func withTests(pkgs []*packages.Package) []*packages.Package {
	tested := map[string]bool{}
	for _, p := range pkgs {
		if strings.HasSuffix(p.ID, ".test]") {
			tested[p.PkgPath] = true
		}
	}
	return slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return strings.HasSuffix(p.ID, ".test") || tested[p.PkgPath] && !strings.HasSuffix(p.ID, ".test]")
	})
}

// patternsOf returns the package patterns of all functions.
func patternsOf(all []subject) []string {
	patterns := map[string]bool{}
	for _, s := range all {
		for _, f := range s.errorFunctions() {
			pkg, _ := funcname.Split(f.Name)
			if pkg == "main" {
				pkg = "."
			}
			patterns[strings.TrimSuffix(pkg, "_test")] = true
		}
	}
	return slices.Sorted(maps.Keys(patterns))
}

// locate returns the source function that a compiled function was made from, or
// nil.
func (p *program) locate(f observe.Function) *ssa.Function {
	wanted := funcname.Source(strings.TrimSuffix(f.Name, "-fm"))
	for _, fn := range p.functions {
		if fn.Parent() == nil && funcname.Generic(fn.String()) == wanted {
			return fn
		}
	}
	if strings.HasSuffix(f.Name, "-fm") {
		return nil
	}
	return p.literal(f)
}

// literal returns the smallest function literal around f's position.
func (p *program) literal(f observe.Function) *ssa.Function {
	var found *ssa.Function
	lines := 0
	for _, fn := range p.functions {
		if fn.Parent() == nil || fn.Syntax() == nil || !p.inFile(fn, f.File) {
			continue
		}
		from := p.source.fset.Position(fn.Syntax().Pos()).Line
		to := p.source.fset.Position(fn.Syntax().End()).Line
		if from <= f.Line && f.Line <= to && (found == nil || to-from <= lines) {
			found, lines = fn, to-from
		}
	}
	return found
}

var version = regexp.MustCompile(`@[^/]+`)

// inFile reports whether a function is in the file of a compiled one. The
// compiler writes an absolute path or, with -trimpath, the package path with
// its version.
func (p *program) inFile(fn *ssa.Function, file string) bool {
	file = filepath.ToSlash(file)
	at := filepath.ToSlash(p.source.fset.Position(fn.Pos()).Filename)
	if path.IsAbs(file) || filepath.IsAbs(filepath.FromSlash(file)) {
		return at == file
	}
	pkg := strings.TrimSuffix(fn.Pkg.Pkg.Path(), "_test")
	return version.ReplaceAllString(file, "") == pkg+"/"+path.Base(at)
}
