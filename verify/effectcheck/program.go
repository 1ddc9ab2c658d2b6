package effectcheck

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A program is a server's source with its call graph.
type program struct {
	prog *ssa.Program
	fset *token.FileSet
	// functions has all functions, in the same order in every run.
	functions []*ssa.Function
	// whole is the call graph of everything, which is coarse.
	whole *callgraph.Graph
	// own has the functions in the modules of the loaded patterns.
	own   []*ssa.Function
	isOwn map[*ssa.Function]bool
	// byFile has the functions with source, by package path and file base name.
	byFile map[string][]*ssa.Function
	// inits has the initializers of package variables, by package.
	inits map[*ssa.Package][]*ssa.Function
	// stores has what is stored in fields and package variables.
	stores *stores
	dir    string
	// walks has the walks by their first root, because several tools can share
	// a handler.
	walks map[*ssa.Function]*walk
}

// mode is what the analysis needs of a package.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule

// load loads the packages that match the patterns, with everything they import.
// If tests is set, that includes the packages' test files.
func load(dir string, tests bool, patterns []string) (*program, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, Tests: tests}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("effectcheck: load %s: %w", strings.Join(patterns, " "), err)
	}
	if tests {
		pkgs = withTests(pkgs)
	}
	if err := firstError(pkgs); err != nil {
		return nil, err
	}
	prog, _ := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	prog.Build()
	all := ssautil.AllFunctions(prog)
	p := &program{
		prog: prog, fset: prog.Fset, dir: dir, functions: sorted(all),
		isOwn: map[*ssa.Function]bool{}, byFile: map[string][]*ssa.Function{}, inits: map[*ssa.Package][]*ssa.Function{},
		walks: map[*ssa.Function]*walk{},
	}
	p.stores = allStores(p.functions)
	p.index(pkgs)
	p.whole = vta.CallGraph(all, nil)
	return p, nil
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

// firstError returns the packages' first error; they are sorted by path. A
// package whose only Go files are tests has nothing to analyze.
func firstError(pkgs []*packages.Package) error {
	var all []error
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if len(p.GoFiles) > 0 || len(p.CompiledGoFiles) > 0 {
				all = append(all, fmt.Errorf("effectcheck: %s: %w", p.PkgPath, e))
			}
		}
	})
	if len(all) > 3 {
		all = all[:3]
	}
	return errors.Join(all...)
}

// index groups the functions by their file and their module.
func (p *program) index(pkgs []*packages.Package) {
	modules, own := map[string]bool{}, map[string]bool{}
	for _, pkg := range pkgs {
		if pkg.Module != nil {
			modules[pkg.Module.Path] = true
		}
	}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		own[pkg.PkgPath] = pkg.Module != nil && modules[pkg.Module.Path]
	})
	for _, f := range p.functions {
		pkg := packageOf(f)
		if pkg == nil {
			continue
		}
		if own[pkg.Pkg.Path()] {
			p.own = append(p.own, f)
			p.isOwn[f] = true
		}
		if f.Synthetic == "package initializer" || strings.HasPrefix(f.Name(), "init#") {
			p.inits[pkg] = append(p.inits[pkg], f)
		}
		if f.Syntax() != nil {
			file := p.fset.Position(f.Pos()).Filename
			key := strings.TrimSuffix(pkg.Pkg.Path(), "_test") + "/" + filepath.Base(file)
			p.byFile[key] = append(p.byFile[key], f)
		}
	}
}

// packageOf returns the package whose source contains f. For an instance, that
// is the package of the generic function.
func packageOf(f *ssa.Function) *ssa.Package {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	return f.Package()
}

// sorted returns the functions sorted by name and position.
func sorted(set map[*ssa.Function]bool) []*ssa.Function {
	names := make(map[*ssa.Function]string, len(set))
	for f := range set {
		names[f] = f.String()
	}
	return slices.SortedFunc(maps.Keys(set), func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(names[a], names[b]), cmp.Compare(a.Pos(), b.Pos()))
	})
}

// place describes a position, with the file relative to the test's directory if
// it is below that directory's parent.
func (p *program) place(pos token.Pos) string {
	at := p.fset.Position(pos)
	if !at.IsValid() {
		return ""
	}
	file := at.Filename
	if near, err := filepath.Rel(p.dir, file); err == nil && !strings.HasPrefix(near, "../..") {
		file = filepath.ToSlash(near)
	} else if _, below, ok := strings.Cut(filepath.ToSlash(file), "/pkg/mod/"); ok {
		file = below
	} else if _, below, ok := strings.Cut(filepath.ToSlash(file), "/src/"); ok && !strings.Contains(path.Dir(below), ".") {
		file = below
	}
	return fmt.Sprintf("%s:%d", file, at.Line)
}
