package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// otherForms has the forms in which an example declares the clause of a verb
// without the verb.
var otherForms = map[string]string{
	"ConfirmAlways": `contract\.ConfirmationAlways|confirmation:"always"`,
	"ConfirmNever":  `contract\.ConfirmationNever|confirmation:"never"`,
}

// TestVerbs_OfBuilderAreOnAPageAndInAnExample fails for a verb that no page of
// the manual or no example shows, because no reader would find it.
func TestVerbs_OfBuilderAreOnAPageAndInAnExample(t *testing.T) {
	t.Parallel()
	pages, examples := pagesAndExamples(t)
	for verb := range reflect.TypeFor[*contract.Builder[struct{}, struct{}]]().Methods() {
		name := verb.Name
		key := strings.ToLower(name[:1]) + name[1:]
		assert.Regexp(t, `\b(`+name+`|`+key+`)\b`, pages, "no page names the verb %s", name)
		shown := `(?m)(\.|^\s+)` + name + `\(|\b` + name + `:|\b` + key + `:"`
		if other := otherForms[name]; other != "" {
			shown += "|" + other
		}
		assert.Regexp(t, shown, examples, "no example declares with the verb %s", name)
	}
}

func TestOptions_OfGuardAreOnAPageAndInAnExample(t *testing.T) {
	t.Parallel()
	pages, examples := pagesAndExamples(t)
	files, err := os.ReadDir("guard")
	require.NoError(t, err)
	var options []string
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), "_test.go") {
			for _, m := range regexp.MustCompile(`(?m)^func (With\w+)\(`).FindAllStringSubmatch(read(t, "guard/"+f.Name()), -1) {
				options = append(options, m[1])
			}
		}
	}
	require.Greater(t, len(options), 10)
	for _, name := range slices.Sorted(slices.Values(options)) {
		assert.Regexp(t, `\b`+name+`\b`, pages, "no page names the option %s", name)
		assert.Regexp(t, `guard\.`+name+`\(`, examples, "no example uses the option %s", name)
	}
}

// otherOptions are the structs of options whose names do not end in Options or
// Config.
var otherOptions = []string{"agent.Policy", "guard.AuditLoss", "guard.Times", "program.Server", "wrap.Settings"}

// TestOptions_OfAllPackagesAreOnAPageOrInAnExample fails for an option function
// of a public package, and for a field of a struct of options, that no page of
// the manual and no example shows.
func TestOptions_OfAllPackagesAreOnAPageOrInAnExample(t *testing.T) {
	t.Parallel()
	pages, examples := pagesAndExamples(t)
	inPages := func(name string) bool { return regexp.MustCompile(`\b` + name + `\b`).MatchString(pages) }
	functions, fields := optionsOf(t)
	require.Greater(t, len(functions), 50)
	require.Greater(t, len(fields), 100)
	for _, name := range functions {
		called := strings.Contains(examples, name+"(")
		assert.True(t, called || inPages(name[strings.Index(name, ".")+1:]), "no page or example has the option %s", name)
	}
	for _, name := range fields {
		field := name[strings.LastIndex(name, ".")+1:]
		set := strings.Contains(examples, field+":") || strings.Contains(examples, "."+field+" = ")
		assert.True(t, set || inPages(field), "no page or example has the field %s", name)
	}
}

// optionsOf returns the functions of public packages that return an option,
// such as guard.WithStore, and the fields of their structs of options.
func optionsOf(t *testing.T) (functions, fields []string) {
	t.Helper()
	for _, file := range publishedSources(t) {
		if folders := strings.Split(file, "/"); folders[0] == "cmd" || slices.Contains(folders, "internal") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			f, isFunc := decl.(*ast.FuncDecl)
			if isFunc && f.Name.IsExported() && f.Recv == nil && returnsOption(f.Type) {
				functions = append(functions, parsed.Name.Name+"."+f.Name.Name)
			}
		}
		for n := range ast.Preorder(parsed) {
			spec, isType := n.(*ast.TypeSpec)
			if !isType || !spec.Name.IsExported() {
				continue
			}
			name := parsed.Name.Name + "." + spec.Name.Name
			structure, isStruct := spec.Type.(*ast.StructType)
			isOptions := strings.HasSuffix(name, "Options") || strings.HasSuffix(name, "Config") || slices.Contains(otherOptions, name)
			if isStruct && isOptions {
				for _, field := range structure.Fields.List {
					fields = append(fields, exportedNames(name+".", field.Names)...)
				}
			}
		}
	}
	return functions, fields
}

func returnsOption(f *ast.FuncType) bool {
	if f.Results == nil || len(f.Results.List) != 1 {
		return false
	}
	switch result := f.Results.List[0].Type.(type) {
	case *ast.Ident:
		return strings.HasSuffix(result.Name, "Option")
	case *ast.SelectorExpr:
		return strings.HasSuffix(result.Sel.Name, "Option")
	}
	return false
}

// pagesAndExamples returns the text of the manual, and that of the examples and
// of the servers in adoption without their tests.
func pagesAndExamples(t *testing.T) (pages, examples string) {
	t.Helper()
	var manual, code strings.Builder
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		isExample := strings.HasPrefix(file, "examples/") || strings.HasPrefix(file, "adoption/")
		switch {
		case err != nil || d.IsDir():
		case file == "README.md", strings.HasPrefix(file, "docs/") && strings.HasSuffix(file, ".md") && file != "docs/rules.md":
			manual.WriteString(read(t, file))
		case isExample && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go"):
			code.WriteString(read(t, file))
		}
		return err
	}))
	return manual.String(), code.String()
}
