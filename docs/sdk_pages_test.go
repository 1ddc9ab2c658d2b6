package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A page shows Go code for both SDKs, side by side. A block that uses package
// mcpgo or gosdk has one of two marks:
//
//   - a comment with the other package, if only the package differs:
//
//     err := mcpgo.ServeStdio(…) // official SDK: gosdk.ServeStdio
//
//   - the next block of Go, which uses the other package. Only a few lines of
//     text stand between them.
//
// Text that names a function of one package names that of the other, too.

// oneSDK has the pages that show one SDK only, and why.
var oneSDK = map[string]string{
	rulesPage: "it quotes the remedies of the library, and each SDK has its own",
}

// between is the most lines of text between a block and its twin.
const between = 4

var (
	goComment  = regexp.MustCompile(`(?m)//.*$`)
	packageUse = regexp.MustCompile(`\b(mcpgo|gosdk)\b`)
	sdkName    = regexp.MustCompile(`\b(mcpgo|gosdk)\.([A-Z]\w*)`)
)

// packages returns which of mcpgo and gosdk a text names.
func packages(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range packageUse.FindAllStringSubmatch(text, -1) {
		found[m[1]] = true
	}
	return found
}

// otherSDK returns the other one of the two packages.
func otherSDK(name string) string {
	if name == "mcpgo" {
		return "gosdk"
	}
	return "mcpgo"
}

// exportedBy returns the exported names of the package in a folder.
func exportedBy(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						names[typ.Name.Name] = true
					}
				}
			}
		}
	}
	require.Greater(t, len(names), 20, folder)
	return names
}

// oneSided returns what a page shows for one SDK only.
func oneSided(t *testing.T, text string, has map[string]map[string]bool) (found []string) {
	t.Helper()
	marks := fence.FindAllStringSubmatchIndex(text, -1)
	marks = slices.DeleteFunc(marks, func(m []int) bool { return text[m[4]:m[5]] != "go" })
	code := func(i int) string { return text[marks[i][6]:marks[i][7]] }
	// twin reports whether block j is a twin of block i of the package.
	twin := func(i, j int, of string) bool {
		if j < 0 || j >= len(marks) || !packages(goComment.ReplaceAllString(code(j), ""))[otherSDK(of)] {
			return false
		}
		first := min(i, j)
		return strings.Count(text[marks[first][1]:marks[first+1][0]], "\n") <= between
	}
	for i := range marks {
		used := packages(goComment.ReplaceAllString(code(i), ""))
		if len(used) != 1 {
			continue
		}
		for of := range used {
			if twin(i, i+1, of) || twin(i, i-1, of) {
				continue
			}
			if !packages(code(i))[otherSDK(of)] {
				found = append(found, "a block without a mark:\n"+code(i))
				continue
			}
			for _, m := range sdkName.FindAllStringSubmatch(goComment.ReplaceAllString(code(i), ""), -1) {
				if !has[otherSDK(of)][m[2]] {
					found = append(found, m[0]+", which "+otherSDK(of)+" doesn't have, in a block without a twin")
				}
			}
		}
	}
	named := map[string]bool{}
	prose := fence.ReplaceAllString(text, "")
	for _, m := range sdkName.FindAllString(prose, -1) {
		named[m] = true
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		of, function, _ := strings.Cut(name, ".")
		if counterpart := otherSDK(of) + "." + function; has[otherSDK(of)][function] && !named[counterpart] {
			found = append(found, name+" without "+counterpart)
		}
	}
	return found
}

func TestPages_ShowBothSDKsSideBySide(t *testing.T) {
	t.Parallel()
	has := map[string]map[string]bool{"mcpgo": exportedBy(t, "mcpgo"), "gosdk": exportedBy(t, "gosdk")}
	for _, page := range append(manual(t), "README.md") {
		found := oneSided(t, read(t, page), has)
		if why := oneSDK[page]; why != "" {
			assert.NotEmpty(t, found, "%s shows both SDKs now: remove it from the list", page)
			continue
		}
		for _, what := range found {
			assert.Fail(t, "one SDK only", "%s: %s", page, what)
		}
	}
}

// The marks of the pages, and what is none.
func TestOneSided_FindsWhatTheOtherSDKLacks(t *testing.T) {
	t.Parallel()
	has := map[string]map[string]bool{"mcpgo": {"Add": true, "Replace": true}, "gosdk": {"Add": true, "TokenInfo": true}}
	block := func(lines ...string) string { return "```go\n" + strings.Join(lines, "\n") + "\n```\n" }
	tests := []struct {
		name, text string
		found      int
	}{
		{"no SDK", block("contract.New()"), 0},
		{"code of one", block("mcpgo.Add(s)"), 1},
		{"code of the other one", block("gosdk.Add(s)"), 1},
		{"a comment", block("mcpgo.Add(s) // official SDK: gosdk.Add"), 0},
		{"a comment about the same package", block("mcpgo.Add(s) // mcpgo adds it"), 1},
		{"a comment, for a function that the other lacks", block("mcpgo.Replace(s) // official SDK: gosdk"), 1},
		{"a twin", block("mcpgo.Replace(s)") + "\nOn the official SDK:\n\n" + block("gosdk.TokenInfo(s)"), 0},
		{"a twin far away", block("mcpgo.Add(s)") + strings.Repeat("text\n", 5) + block("gosdk.Add(s)"), 2},
		{"a twin in another language", block("mcpgo.Add(s)") + "```text\ngosdk.Add(s)\n```\n", 1},
		{"text", "`mcpgo.Add` adds.\n", 1},
		{"text about both", "`mcpgo.Add` and `gosdk.Add` add.\n", 0},
		{"text about what one has", "`mcpgo.Replace` and `gosdk.TokenInfo`.\n", 0},
	}
	for _, tt := range tests {
		assert.Len(t, oneSided(t, tt.text, has), tt.found, tt.name)
	}
}
