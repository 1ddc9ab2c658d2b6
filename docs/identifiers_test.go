package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A source has the exported identifiers of the packages that users import.
type source struct {
	// names has the identifiers by package path, such as "New" and
	// "Builder.Effect" of "contract".
	names map[string]map[string]bool
	// aliases has the types that stand for others, such as "people.Question"
	// for "people.Question", by the last element of the package path.
	aliases map[string]string
	// bare has every exported identifier of any package, and every method and
	// field, without its package and type.
	bare map[string]bool
	// paths has the package paths by the last element of each.
	paths map[string][]string
}

// exported reads the packages of the root's module and of the modules beside
// it that users import.
func exported(t *testing.T) source {
	t.Helper()
	s, err := readSource()
	require.NoError(t, err)
	require.Greater(t, len(s.names), 30, "the packages were not found")
	return s
}

var readSource = sync.OnceValues(func() (source, error) {
	s := source{
		names: map[string]map[string]bool{}, aliases: map[string]string{}, bare: map[string]bool{}, paths: map[string][]string{},
	}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "internal" ||
			name == "adoption" || name == "benchmarks") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		if s.names[pkg] == nil {
			s.names[pkg] = map[string]bool{}
			s.paths[filepath.Base(pkg)] = append(s.paths[filepath.Base(pkg)], pkg)
		}
		for _, decl := range parsed.Decls {
			s.declare(pkg, decl)
		}
		return nil
	})
	return s, err
})

func (s source) add(pkg, name string) {
	last := name[strings.LastIndex(name, ".")+1:]
	if ast.IsExported(last) {
		s.names[pkg][name] = true
		s.bare[last] = true
	}
}

func (s source) declare(pkg string, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			s.add(pkg, d.Name.Name)
			return
		}
		s.add(pkg, receiver(d.Recv.List[0].Type)+"."+d.Name.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					s.add(pkg, name.Name)
				}
			case *ast.TypeSpec:
				s.add(pkg, spec.Name.Name)
				s.members(pkg, spec)
			}
		}
	}
}

func (s source) members(pkg string, spec *ast.TypeSpec) {
	var fields *ast.FieldList
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		fields = typ.Fields
	case *ast.InterfaceType:
		fields = typ.Methods
	default:
		if spec.Assign.IsValid() {
			if target := receiver(typ); strings.Contains(target, ".") {
				s.aliases[filepath.Base(pkg)+"."+spec.Name.Name] = target
			}
		}
		return
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			s.add(pkg, spec.Name.Name+"."+name.Name)
		}
	}
}

// receiver returns the name of a type without its pointer and type parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return receiver(e.X) + "." + e.Sel.Name
	}
	return ""
}

// has reports whether a package has an identifier, such as "Builder.Effect". An
// empty name asks for the package.
func (s source) has(pkg, name string) bool {
	names, ok := s.names[pkg]
	return ok && (name == "" || names[name] || s.hasAlias(filepath.Base(pkg), name))
}

// hasShort is has for the last element of a package path.
func (s source) hasShort(pkg, name string) bool {
	for _, path := range s.paths[pkg] {
		if s.has(path, name) {
			return true
		}
	}
	return false
}

func (s source) hasAlias(pkg, name string) bool {
	typ, member, _ := strings.Cut(name, ".")
	target, ok := s.aliases[pkg+"."+typ]
	if !ok || member == "" {
		return ok
	}
	other, typ, _ := strings.Cut(target, ".")
	return s.hasShort(other, typ+"."+member)
}

var (
	qualified = regexp.MustCompile(`^([a-z]\w*)\.([A-Z]\w*(?:\.[A-Z]\w*)?)(?:[({].*)?$`)
	verb      = regexp.MustCompile(`^([A-Z][a-z]\w*(?:\.[A-Z]\w*)?)(?:\(.*\))?$`)
)

// elsewhere has the capitalised words between backquotes that belong to other
// packages, to HTTP, or to people.
var elsewhere = map[string]bool{
	"Authorization": true, "Host": true, "Origin": true, "Goexit": true, "AddTool": true, "Bearer": true,
	"TestContracts": true, "Server.AddTool": true,
	"Stages": true, // a function of an internal package, on the page of the architecture
}

// A word between backquotes that begins with a package of this module, or that
// is one capitalised word, is an identifier that exists.
func TestManual_NamesOnlyIdentifiersThatExist(t *testing.T) {
	t.Parallel()
	s := exported(t)
	found := 0
	for _, page := range append(manual(t), "README.md") {
		for _, word := range words(code.ReplaceAllString(read(t, page), "")) {
			if m := qualified.FindStringSubmatch(word); m != nil {
				if _, ours := s.paths[m[1]]; ours {
					found++
					assert.True(t, s.hasShort(m[1], m[2]), "%s names %s, which does not exist", page, word)
				}
				continue
			}
			if m := verb.FindStringSubmatch(word); m != nil && !elsewhere[m[1]] {
				found++
				last := m[1][strings.LastIndex(m[1], ".")+1:]
				assert.True(t, s.bare[last], "%s names %s, which no package has", page, word)
			}
		}
	}
	assert.Greater(t, found, 50)
}
