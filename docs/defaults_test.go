package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table of defaults has each constant of the library whose name begins with
// "default", with the value of the code.
func TestDefaults_TableHasEveryConstant(t *testing.T) {
	t.Parallel()
	isDefault := regexp.MustCompile(`^[dD]efault[A-Z]`)
	var want []string
	add := func(folder, source string, s *ast.ValueSpec, files *token.FileSet) {
		for i, name := range s.Names {
			if isDefault.MatchString(name.Name) && i < len(s.Values) {
				from, to := files.Position(s.Values[i].Pos()).Offset, files.Position(s.Values[i].End()).Offset
				want = append(want, "`"+folder+"` | "+name.Name+" | `"+source[from:to]+"`")
			}
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || d.Name() == "testdata" || isOutside[d.Name()]):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, source, 0)
		if err != nil {
			return err
		}
		folder := filepath.Dir(path)
		for _, decl := range parsed.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, s := range g.Specs {
					add(filepath.ToSlash(folder), string(source), s.(*ast.ValueSpec), files)
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	_, table, found := strings.Cut(read(t, "docs/limits.md"), "\n| package | constant | value | sets it |\n|---|---|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	var documented []string
	for _, row := range regexp.MustCompile(`(?m)^\| (.*? \| .*? \| .*?) \|`).FindAllStringSubmatch(table, -1) {
		documented = append(documented, row[1])
	}
	assert.Greater(t, len(want), 20)
	assert.ElementsMatch(t, want, documented)
}

// Each step for a new clause names the tests that fail without it, and these
// tests exist.
func TestContributing_StepsNameTestsThatExist(t *testing.T) {
	t.Parallel()
	_, steps, _ := strings.Cut(read(t, "CONTRIBUTING.md"), "\n## Adding a clause\n")
	steps, _, _ = strings.Cut(steps, "\n## ")
	all := ""
	for _, pattern := range []string{"docs/*_test.go", "contract/*_test.go", "contract/*/*_test.go", "guard/*_test.go",
		"guard/internal/*/*_test.go", "gateway/*/*_test.go"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			all += read(t, path)
		}
	}
	for _, step := range regexp.MustCompile(`(?m)^\d+\. `).Split(steps, -1)[1:] {
		names := regexp.MustCompile("`(Test[A-Z][A-Za-z0-9]*_[A-Za-z0-9]+)`").FindAllStringSubmatch(step, -1)
		assert.NotEmpty(t, names, "no test is named for: %s", step)
		for _, name := range names {
			assert.Contains(t, all, "func "+name[1]+"(", "%s does not exist", name[1])
		}
	}
}

// isOutside are the folders that users do not import.
var isOutside = map[string]bool{"examples": true, "adoption": true, "benchmarks": true, "docs": true}
