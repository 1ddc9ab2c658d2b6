package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A madeType is an exported type that users make. A function of its package
// that begins with New, Open or Listen returns it. Or it is a struct that a
// function takes as a value and that no function parses. Maker is the function,
// or the type itself.
type madeType struct{ pkg, name, maker string }

// readMadeTypes returns the types that users make, and for each package the
// identifiers that its Examples and those of the manual use.
func readMadeTypes(t *testing.T) (made []madeType, used map[string]map[string]bool) {
	t.Helper()
	used = map[string]map[string]bool{}
	taken, structs, parsedTypes := map[string][]string{}, map[string][]string{}, map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "internal" || hasModule(file)) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		pkg := filepath.ToSlash(filepath.Dir(file))
		if used[pkg] == nil {
			used[pkg] = map[string]bool{}
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok || f.Recv != nil:
			case strings.HasSuffix(file, "_test.go") && strings.HasPrefix(f.Name.Name, "Example"):
				ast.Inspect(f.Body, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						used[pkg][id.Name] = true
					}
					return true
				})
			case strings.HasSuffix(file, "_test.go"):
			case strings.HasPrefix(f.Name.Name, "Parse") && f.Type.Results != nil:
				parsedTypes[pkg+"."+receiver(f.Type.Results.List[0].Type)] = true
			case makes(f):
				if typ := receiver(f.Type.Results.List[0].Type); ast.IsExported(typ) {
					made = append(made, madeType{pkg, typ, f.Name.Name})
				}
			}
		}
		if !strings.HasSuffix(file, "_test.go") {
			taken[pkg] = append(taken[pkg], parameters(parsed)...)
			structs[pkg] = append(structs[pkg], structsOf(parsed)...)
		}
		return nil
	})
	require.NoError(t, err)
	for pkg, names := range structs {
		for _, name := range names {
			if slices.Contains(taken[pkg], name) && !parsedTypes[pkg+"."+name] {
				made = append(made, madeType{pkg, name, name})
			}
		}
	}
	return made, used
}

// parameters returns the types that exported functions and methods of a file
// take as values, also in lists.
func parameters(file *ast.File) []string {
	var all []string
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || !f.Name.IsExported() || f.Recv != nil && !ast.IsExported(receiver(f.Recv.List[0].Type)) {
			continue
		}
		for _, field := range f.Type.Params.List {
			switch typ := field.Type.(type) {
			case *ast.Ident:
				all = append(all, typ.Name)
			case *ast.Ellipsis:
				all = append(all, receiver(typ.Elt))
			case *ast.ArrayType:
				all = append(all, receiver(typ.Elt))
			}
		}
	}
	return all
}

// structsOf returns the exported structs of a file with exported fields.
func structsOf(file *ast.File) []string {
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || !spec.Name.IsExported() {
			return true
		}
		if typ, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range typ.Fields.List {
				if len(field.Names) > 0 && field.Names[0].IsExported() {
					all = append(all, spec.Name.Name)
					return true
				}
			}
		}
		return true
	})
	return all
}

// makes reports whether a function makes a value for users.
func makes(f *ast.FuncDecl) bool {
	if !f.Name.IsExported() || f.Type.Results == nil {
		return false
	}
	for _, prefix := range []string{"New", "Open", "Listen"} {
		if strings.HasPrefix(f.Name.Name, prefix) {
			return true
		}
	}
	return false
}

// notMade has the structs that functions take as values and that users do not
// make.
var notMade = map[string]string{
	"compat.Change": "Diff returns it",
	"store.Record":  "stores return it",
}

func TestDocumentation_EveryTypeThatUsersMakeHasAnExample(t *testing.T) {
	t.Parallel()
	made, used := readMadeTypes(t)
	for _, m := range made {
		if notMade[path.Base(m.pkg)+"."+m.maker] != "" {
			continue
		}
		assert.True(t, used[m.pkg][m.maker], "no Example of package %s uses %s, which makes a %s", path.Base(m.pkg), m.maker, m.name)
	}
	assert.Greater(t, len(made), 20)
}
