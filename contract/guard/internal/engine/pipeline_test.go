package engine

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
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
	m := regexp.MustCompile(`On the way out, ([^.]*?) act, in\s+this order`).FindStringSubmatch(documentation)
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
	raw, err := os.ReadFile("../../../../docs/architecture.md")
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

// The files that see the call: pipeline.go reaches the stages, and walk.go goes
// through them.
const (
	pipelineFile = "pipeline.go"
	walkFile     = "walk.go"
	callFile     = "call.go"
)

// noImports imports nothing: these tests need only the objects of the package
// itself.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// A typed package has the source files of the engine, and the object that each
// of their identifiers means.
type typed struct {
	files map[string]*ast.File
	scope *types.Scope
	uses  map[*ast.Ident]types.Object
}

func typedEngine(t *testing.T) typed {
	t.Helper()
	fset := token.NewFileSet()
	files := sources(t, fset, ".")
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := conf.Check("engine", fset, slices.Collect(maps.Values(files)), &info)
	return typed{files, pkg.Scope(), info.Uses}
}

// used calls do with each identifier in the files except the named ones, and
// with its object.
func (g typed) used(do func(file string, id *ast.Ident, of types.Object), except ...string) {
	for name, file := range g.files {
		if slices.Contains(except, name) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && g.uses[id] != nil {
				do(name, id, g.uses[id])
			}
			return true
		})
	}
}

// within returns the functions and methods of the package that a part of a file
// uses.
func (g typed) within(part ast.Node) (all []*types.Func) {
	ast.Inspect(part, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if f, ok := g.uses[id].(*types.Func); ok && f.Pkg() != nil && f.Pkg().Scope() == g.scope {
				all = append(all, f)
			}
		}
		return true
	})
	return all
}

// isOfCall reports whether a function is a method of *call.
func isOfCall(f *types.Func) bool {
	recv := f.Signature().Recv()
	return recv != nil && types.TypeString(recv.Type(), func(*types.Package) string { return "" }) == "*call"
}

// entrances returns the functions through which the pipeline reaches its
// stages, on the way in and on the way out.
func (g typed) entrances(t *testing.T) map[types.Object]bool {
	t.Helper()
	bodies := map[string]*ast.BlockStmt{} // of pipeline.go
	for _, decl := range g.files[pipelineFile].Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			bodies[f.Name.Name] = f.Body
		}
	}
	all := map[types.Object]bool{}
	ast.Inspect(bodies["Stages"], func(n ast.Node) bool {
		field, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := field.Key.(*ast.Ident); !ok || key.Name != "run" && key.Name != "after" {
			return true
		}
		for _, f := range g.within(field.Value) {
			switch {
			case !isOfCall(f):
				if f.Signature().Recv() != nil {
					t.Errorf("%s is a method, and the entrance of a stage is a function", f.Name())
				}
				all[f] = true
			case f.Name() != "agreed":
				require.NotNil(t, bodies[f.Name()], "%s is not in "+pipelineFile, f.Name())
				for _, inner := range g.within(bodies[f.Name()]) {
					if inner.Signature().Recv() == nil {
						all[inner] = true
					}
				}
			}
		}
		return true
	})
	return all
}

func TestPipeline_StageIsReachedOnlyThroughThePipelineAndDoesNotSeeTheCall(t *testing.T) {
	t.Parallel()
	g := typedEngine(t)
	entrances := g.entrances(t)
	for _, name := range []string{"lookup", "confirm", "run", "checkResult", "writeIntent", "complete", "countFailure"} {
		require.True(t, entrances[g.scope.Lookup(name)], "the entrance %s was not found", name)
	}
	g.used(func(file string, id *ast.Ident, of types.Object) {
		assert.False(t, entrances[of], "%s uses the stage %s", file, id.Name)
	}, pipelineFile)
	g.used(func(file string, _ *ast.Ident, of types.Object) {
		if of == g.scope.Lookup("call") { // an assertion would print the whole package
			t.Errorf("%s sees the call", file)
		}
	}, pipelineFile, walkFile, callFile)
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
