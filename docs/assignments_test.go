package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plain lists the built-in functions that only read or make a value.
var plain = []string{"cap", "len", "make", "max", "min", "new"}

// TestAssignments_HideNoStep fails for an assignment of several values that has
// a call among them, because a reader expects one step a line. Calls of the
// same function for each value stay together, and so does a loop's header.
func TestAssignments_HideNoStep(t *testing.T) {
	t.Parallel()
	outside := []string{"testdata", "adoption", "benchmarks"}
	files := 0
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(outside, d.Name())):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		files++
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		loops := map[ast.Node]bool{}
		for n := range ast.Preorder(parsed) {
			switch s := n.(type) {
			case *ast.ForStmt:
				loops[s.Init] = true
				loops[s.Post] = true
			case *ast.AssignStmt:
				if !loops[s] && hidesStep(s.Rhs) {
					assert.Fail(t, "an assignment of several values has a call: write a line for each", positions.Position(s.Pos()))
				}
			}
		}
		return nil
	}))
	assert.Greater(t, files, 50, "the packages were not found")
}

// hidesStep reports whether one of several values is a call, except if all are
// calls of one function.
func hidesStep(values []ast.Expr) bool {
	if len(values) < 2 {
		return false
	}
	calls := slices.ContainsFunc(values, func(v ast.Expr) bool {
		found := false
		ast.Inspect(v, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			found = found || ok && isStep(call)
			_, body := n.(*ast.FuncLit)
			return !body
		})
		return found
	})
	first := calledBy(values[0])
	return calls && (first == "" || slices.ContainsFunc(values, func(v ast.Expr) bool { return calledBy(v) != first }))
}

// isStep reports whether a call does something: it is no conversion, and not of
// a plain built-in function.
func isStep(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.ArrayType, *ast.MapType, *ast.ParenExpr:
		return false
	case *ast.Ident:
		_, converts := types.Universe.Lookup(f.Name).(*types.TypeName)
		return !converts && !slices.Contains(plain, f.Name)
	}
	return true
}

// calledBy returns the name of the function or method that a value calls.
func calledBy(value ast.Expr) string {
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return ""
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
