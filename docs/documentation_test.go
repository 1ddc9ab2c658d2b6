package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every exported identifier of the packages that users import has a comment,
// including fields and constants, so that go doc is enough to use them.
func TestDocumentation_EveryExportedIdentifierHasAComment(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "internal" ||
			name == "examples") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			for _, bare := range undocumented(decl) {
				assert.Fail(t, "an exported identifier has no comment", "%s: %s", file, bare)
			}
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, files, 50, "the packages were not found")
}

// undocumented returns the exported identifiers of a declaration that have no
// comment.
func undocumented(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		var bare []string
		for _, spec := range d.Specs {
			bare = append(bare, undocumentedSpec(d, spec)...)
		}
		return bare
	}
	return nil
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	exported := false
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			exported = exported || id.IsExported()
		}
		return true
	})
	return exported
}

func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) []string {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		if s.Doc != nil || s.Comment != nil || d.Doc != nil && len(d.Specs) > 1 || d.Doc != nil && !d.Lparen.IsValid() {
			return nil
		}
		return exportedNames("", s.Names)
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return nil
		}
		var bare []string
		if s.Doc == nil && d.Doc == nil {
			bare = append(bare, s.Name.Name)
		}
		return append(bare, undocumentedFields(s)...)
	}
	return nil
}

// undocumentedFields returns the exported fields without a comment. A comment
// also covers the fields that follow its field without a blank line.
func undocumentedFields(s *ast.TypeSpec) []string {
	structure, ok := s.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	var bare []string
	var last *ast.Field
	for _, f := range structure.Fields.List {
		follows := last != nil && f.Pos()-last.End() < 3 // the line break and the indentation
		if f.Doc == nil && f.Comment == nil && !follows {
			bare = append(bare, exportedNames(s.Name.Name+".", f.Names)...)
			continue
		}
		last = f
	}
	return bare
}

func exportedNames(prefix string, names []*ast.Ident) []string {
	var exported []string
	for _, id := range names {
		if id.IsExported() {
			exported = append(exported, prefix+id.Name)
		}
	}
	return exported
}
