package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a server of 20 tools changes for the first two pages.
func TestTwenty_LinesAndNamesOfAServerOf20Tools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server        string
		lines, before int // added, and removed or replaced
		names         []string
	}{
		{"belt", 4, 0, []string{"gosdk.Protect"}}, // one line imports gosdk
		{"write", 14, 2, []string{ // four lines import packages
			"contract.Base", "gosdk.AddTool", "gosdk.LocalUser", "gosdk.ServeStdioServer", "guard.New", "guard.WithPrincipal",
			"risk.HighRiskWrite",
		}},
	} {
		dir := "docs/testdata/twenty/" + c.server
		built := exec.CommandContext(t.Context(), "go", "build", "-o", t.TempDir(), "./"+dir)
		out, err := built.CombinedOutput()
		require.NoError(t, err, "%s", out)
		before, after := linesOf(t, "docs/testdata/twenty/before/main.go"), linesOf(t, dir+"/main.go")
		same := common(before, after)
		assert.Equal(t, c.lines, len(after)-same, c.server)
		assert.Equal(t, c.before, len(before)-same, c.server)
		assert.Equal(t, c.names, namesOf(t, dir+"/main.go"), c.server)
	}
}

func linesOf(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Split(string(text), "\n")
}

// common returns how many lines two files share, in the same order.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, line := range a {
		next := slices.Clone(row)
		for i := range b {
			if b[i] == line {
				next[i+1] = row[i] + 1
			} else {
				next[i+1] = max(row[i+1], next[i])
			}
		}
		row = next
	}
	return row[len(b)]
}

// namesOf returns the names that a file uses of this project's packages.
func namesOf(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	ours := map[string]bool{}
	for _, i := range f.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		require.NoError(t, err)
		if name, is := strings.CutPrefix(path, "github.com/toolcontract/toolcontract/"); is {
			ours[name] = true
		}
	}
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := s.X.(*ast.Ident); ok && ours[pkg.Name] {
				names[pkg.Name+"."+s.Sel.Name] = true
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(names))
}
