package effectcheck

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/verify/internal/funcname"
)

// locate returns the source functions that a compiled function was made from:
// several if it is generic, none if they were not loaded.
func (p *program) locate(f observe.Function) []*ssa.Function {
	if method, ok := strings.CutSuffix(f.Name, "-fm"); ok {
		return instances(p.byName(method))
	}
	if found := p.byPlace(f); len(found) > 0 {
		return instances(found)
	}
	return instances(p.byName(f.Name))
}

// instances drops generic functions whose instances are present too.
func instances(found []*ssa.Function) []*ssa.Function {
	isGeneric := func(f *ssa.Function) bool { return f.TypeParams().Len() > len(f.TypeArgs()) }
	if instances := slices.DeleteFunc(slices.Clone(found), isGeneric); len(instances) > 0 {
		return instances
	}
	return found
}

// byPlace returns the innermost functions around f's position. A name is not
// enough, because a function literal is named after the function that its
// parent was inlined into.
func (p *program) byPlace(f observe.Function) []*ssa.Function {
	var found []*ssa.Function
	lines := 0
	for _, candidate := range p.byFile[p.fileKey(f.File)] {
		syntax := candidate.Syntax()
		from := p.fset.Position(syntax.Pos()).Line
		to := p.fset.Position(syntax.End()).Line
		if f.Line < from || f.Line > to || literal.MatchString(f.Name) != (candidate.Parent() != nil) {
			continue
		}
		switch {
		case len(found) > 0 && to-from > lines:
			continue
		case len(found) > 0 && to-from < lines:
			found = nil
		}
		found = append(found, candidate)
		lines = to - from
	}
	return innermost(found)
}

// innermost drops functions that contain another one in the list, if they are
// written on one line.
func innermost(found []*ssa.Function) []*ssa.Function {
	outer := map[*ssa.Function]bool{}
	for _, f := range found {
		for parent := f.Parent(); parent != nil; parent = parent.Parent() {
			outer[parent] = true
		}
	}
	var inner []*ssa.Function
	for _, f := range found {
		if !outer[f] {
			inner = append(inner, f)
		}
	}
	return inner
}

// literal matches the names of function literals. It also matches an instance
// of a generic function that another generic function uses as a value, which is
// not a literal in the source.
var literal = regexp.MustCompile(`\.func\d+(\.\d+)*$`)

var version = regexp.MustCompile(`@[^/]+`)

// fileKey returns a file's key in byFile. The compiler writes an absolute path
// or, with -trimpath, the package path with its version.
func (p *program) fileKey(file string) string {
	file = filepath.ToSlash(file)
	if !path.IsAbs(file) {
		return version.ReplaceAllString(file, "")
	}
	for key, functions := range p.byFile {
		written := p.fset.Position(functions[0].Pos()).Filename
		if path.Base(key) == path.Base(file) && filepath.ToSlash(written) == file {
			return key
		}
	}
	return ""
}

// byName returns the declared functions with the name of a compiled one.
func (p *program) byName(name string) []*ssa.Function {
	wanted := funcname.Source(name)
	var found []*ssa.Function
	for _, f := range p.functions {
		if funcname.Generic(f.String()) == wanted {
			found = append(found, f)
		}
	}
	return found
}
