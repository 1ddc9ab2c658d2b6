package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxFields bounds the fields of a struct of the guard.
const maxFields = 15

// sources parses the source files of a folder, without its tests.
func sources(t *testing.T, folder string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		files[e.Name()], err = parser.ParseFile(token.NewFileSet(), folder+"/"+e.Name(), nil, parser.ParseComments)
		require.NoError(t, err)
	}
	return files
}

// calls returns the names of the functions that a part of a file calls without
// a package or a receiver.
func calls(part ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(part, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok {
				names[name.Name] = true
			}
		}
		return true
	})
	return names
}

func TestPipeline_DocumentationExplainsTheStagesInOrder(t *testing.T) {
	t.Parallel()
	doc := sources(t, ".")["doc.go"].Doc.Text()
	_, order, _ := strings.Cut(doc, "# Order\n")
	order, _, _ = strings.Cut(order, "\n# ")
	var explained []string
	for _, m := range regexp.MustCompile(`(?m)^ *- (\w+)`).FindAllStringSubmatch(order, -1) {
		explained = append(explained, strings.ToLower(m[1]))
	}
	assert.Equal(t, StageNames(), explained)
}

func TestPipeline_OnlyThePipelineCallsStages(t *testing.T) {
	t.Parallel()
	files := sources(t, ".")
	elsewhere := map[string]bool{}
	for name, file := range files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && name != "pipeline.go" {
				elsewhere[f.Name.Name] = true
			}
		}
	}
	entrances := map[string]bool{}
	for _, decl := range files["pipeline.go"].Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "stages" {
			for name := range calls(f) {
				if elsewhere[name] {
					entrances[name] = true
				}
			}
		}
	}
	require.Greater(t, len(entrances), 15, "the entrances of the stages were not found")
	for name, file := range files {
		if name == "pipeline.go" {
			continue
		}
		for called := range calls(file) {
			assert.False(t, entrances[called], "%s calls the stage %s", name, called)
		}
	}
}

func TestGuard_NoStructHasTooManyFields(t *testing.T) {
	t.Parallel()
	folders := []string{"."}
	for _, below := range []string{"consent", "internal"} {
		require.NoError(t, fs.WalkDir(os.DirFS("."), below, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && !slices.Contains(strings.Split(path, "/"), "testdata") {
				folders = append(folders, path)
			}
			return err
		}))
	}
	for _, folder := range folders {
		for name, file := range sources(t, folder) {
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if fields, ok := s.Type.(*ast.StructType); ok {
					assert.LessOrEqual(t, fields.Fields.NumFields(), maxFields, "%s/%s: %s", folder, name, s.Name)
				}
				return true
			})
		}
	}
}
