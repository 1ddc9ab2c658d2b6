package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxFields bounds the direct fields of a struct of the guard: an embedded
// struct counts as one.
const maxFields = 15

// sources parses the source files of a folder, without its tests.
func sources(t *testing.T, fset *token.FileSet, folder string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		files[e.Name()], err = parser.ParseFile(fset, folder+"/"+e.Name(), nil, parser.ParseComments)
		require.NoError(t, err)
	}
	return files
}

// namesOnTheWayOut returns the stages with a part on the way out, in the order
// in which they act.
func namesOnTheWayOut() []string {
	var names []string
	for _, s := range slices.Backward(Stages()) {
		if s.after != nil {
			names = append(names, s.Name)
		}
	}
	return names
}

// documentedOnTheWayOut returns the stages that a documentation names as those
// that act on the way out, in its order.
func documentedOnTheWayOut(t *testing.T, documentation string) []string {
	t.Helper()
	m := regexp.MustCompile(`On the way\s+out, ([^.]*?) act, in\s+this order`).FindStringSubmatch(documentation)
	require.NotNil(t, m, "the documentation does not name the stages that act on the way out")
	var names []string
	for _, name := range regexp.MustCompile(`\w+`).FindAllString(strings.ReplaceAll(m[1], " and ", " "), -1) {
		names = append(names, strings.ToLower(name))
	}
	return names
}

// stageNames returns the name of every stage once, in pipeline order.
func stageNames() []string {
	var names []string
	for _, s := range Stages() {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

func TestPipeline_DocumentationExplainsTheStagesInOrder(t *testing.T) {
	t.Parallel()
	doc := sources(t, token.NewFileSet(), "../..")["doc.go"].Doc.Text()
	_, order, _ := strings.Cut(doc, "# Order\n")
	order, _, _ = strings.Cut(order, "\n# ")
	var explained []string
	for _, m := range regexp.MustCompile(`(?m)^ *- (\w+)`).FindAllStringSubmatch(order, -1) {
		explained = append(explained, strings.ToLower(m[1]))
	}
	assert.Equal(t, stageNames(), explained)
	assert.Equal(t, namesOnTheWayOut(), documentedOnTheWayOut(t, order))
}

// The page draws the stages with a part on the way in, then those that act only
// on the way out.
func TestPipeline_ArchitecturePageDrawsTheStagesInOrder(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../docs/architecture.md")
	require.NoError(t, err)
	page := string(raw)
	assert.Equal(t, namesOnTheWayOut(), documentedOnTheWayOut(t, page))

	var want []string
	for _, s := range Stages() {
		if s.run != nil && !slices.Contains(want, s.Name) { // intent has two positions, and the page explains them
			want = append(want, s.Name)
		}
	}
	for _, name := range namesOnTheWayOut() {
		if !slices.Contains(want, name) {
			want = append(want, name)
		}
	}
	var drawn []string
	_, chart, _ := strings.Cut(page, "call([tools/call])")
	chart, _, _ = strings.Cut(chart, "result([result])")
	for line := range strings.SplitSeq(chart, "\n") {
		if strings.Contains(line, "-.") { // the way back
			continue
		}
		for _, name := range regexp.MustCompile(`[a-z]+`).FindAllString(line, -1) {
			if !slices.Contains(drawn, name) {
				drawn = append(drawn, name)
			}
		}
	}
	assert.Equal(t, want, drawn)
}

func TestGuard_NoStructHasTooManyFields(t *testing.T) {
	t.Parallel()
	const root = "../.."
	folders := []string{root}
	for _, below := range []string{"internal", "people"} {
		require.NoError(t, fs.WalkDir(os.DirFS(root), below, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && !slices.Contains(strings.Split(path, "/"), "testdata") {
				folders = append(folders, root+"/"+path)
			}
			return err
		}))
	}
	for _, folder := range folders {
		for name, file := range sources(t, token.NewFileSet(), folder) {
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

// A call has extras only if a stage of its tool declares that it uses them. A
// stage that used them without that would find nil.
func TestStages_DeclareThatTheyUseExtras(t *testing.T) {
	t.Parallel()
	files := sources(t, token.NewFileSet(), ".")
	methods := map[string]ast.Node{}
	var stagesBody ast.Node
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			switch {
			case !ok:
			case f.Recv != nil:
				methods[f.Name.Name] = f.Body
			case f.Name.Name == "Stages":
				stagesBody = f.Body
			}
		}
	}
	usesExtras := func(n ast.Node) (uses bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			uses = uses || ok && s.Sel.Name == "extras"
			return true
		})
		return uses
	}
	using := 0
	ast.Inspect(stagesBody, func(n ast.Node) bool {
		one, ok := n.(*ast.CompositeLit)
		if !ok || one.Type != nil { // a stage has no type of its own in the list
			return true
		}
		parts := map[string]ast.Expr{}
		for _, e := range one.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				parts[types.ExprString(kv.Key)] = kv.Value
			}
		}
		uses := false
		for _, part := range []string{"run", "after"} {
			switch f := parts[part].(type) {
			case *ast.FuncLit:
				uses = uses || usesExtras(f)
			case *ast.SelectorExpr:
				require.Contains(t, methods, f.Sel.Name)
				uses = uses || usesExtras(methods[f.Sel.Name])
			}
		}
		if uses {
			using++
			assert.Contains(t, parts, "extras", types.ExprString(parts["Name"]))
		}
		return false
	})
	assert.Positive(t, using)
}
