package docs_test

import (
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
	files, err := os.ReadDir("contract/guard")
	require.NoError(t, err)
	var options []string
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), "_test.go") {
			for _, m := range regexp.MustCompile(`(?m)^func (With\w+)\(`).FindAllStringSubmatch(read(t, "contract/guard/"+f.Name()), -1) {
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
