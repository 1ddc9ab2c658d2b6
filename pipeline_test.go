package toolcontract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	guardFolder  = "contract/guard"
	pipelineFile = "pipeline.go"
)

// parseFolder parses the files of a package without its tests.
func parseFolder(t *testing.T, folder string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != folder:
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		files[filepath.Base(path)] = parsed
		return err
	})
	require.NoError(t, err)
	return files
}

// A stageRow is one row of the table of stages.
type stageRow struct {
	name      string   // the identifier of its constant
	functions []string // what its row calls
}

// stageRows reads the table of stages in pipeline.go.
func stageRows(t *testing.T, pipeline *ast.File) []stageRow {
	t.Helper()
	var rows []stageRow
	for _, decl := range pipeline.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != "stages" || f.Recv != nil {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			row, ok := n.(*ast.CompositeLit)
			if !ok || row.Type != nil {
				return true
			}
			rows = append(rows, readStageRow(row))
			return false
		})
	}
	require.NotEmpty(t, rows, "the table of stages was not found")
	return rows
}

func readStageRow(row *ast.CompositeLit) stageRow {
	var r stageRow
	for _, element := range row.Elts {
		field, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch key, _ := field.Key.(*ast.Ident); key.Name {
		case "name":
			if id, ok := field.Value.(*ast.Ident); ok {
				r.name = id.Name
			}
		case "run":
			ast.Inspect(field.Value, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if id, ok := n.Fun.(*ast.Ident); ok {
						r.functions = append(r.functions, id.Name)
					}
				case *ast.SelectorExpr: // a method expression
					if _, ok := n.X.(*ast.ParenExpr); ok {
						r.functions = append(r.functions, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
	return r
}

// stageTexts returns the text of each constant of a package, by its name.
func stageTexts(t *testing.T, folder string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, parsed := range parseFolder(t, folder) {
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, value := range spec.Values {
				switch value := value.(type) {
				case *ast.BasicLit:
					if text, err := strconv.Unquote(value.Value); err == nil {
						texts[spec.Names[i].Name] = text
					}
				case *ast.SelectorExpr: // a constant of package consent
					texts[spec.Names[i].Name] = value.Sel.Name
				}
			}
			return true
		})
	}
	return texts
}

func TestPipeline_TheArchitecturePageHasTheStagesInTheirOrder(t *testing.T) {
	t.Parallel()
	texts, consent := stageTexts(t, guardFolder), stageTexts(t, guardFolder+"/consent")
	var inside, around []string
	for _, row := range stageRows(t, parseFolder(t, guardFolder)[pipelineFile]) {
		text := texts[row.name]
		if inner, ok := consent[text]; ok {
			text = inner
		}
		require.NotEmpty(t, text, "the stage %s has no text", row.name)
		switch {
		case len(row.functions) == 0:
			around = append(around, text)
		case !slices.Contains(inside, text): // intent has two positions, and the page explains them
			inside = append(inside, text)
		}
	}
	slices.Reverse(around)

	var drawn []string
	page := read(t, "docs/architecture.md")
	for line := range strings.SplitSeq(page[strings.Index(page, "call([tools/call])"):strings.Index(page, "result([result])")], "\n") {
		if strings.Contains(line, "-.") {
			continue
		}
		for _, id := range regexp.MustCompile(`\b[a-z]+\b`).FindAllString(strings.TrimPrefix(strings.TrimSpace(line), "call([tools/call])"), -1) {
			if !slices.Contains(drawn, id) {
				drawn = append(drawn, id)
			}
		}
	}
	assert.Equal(t, append(inside, around...), drawn)
}
