package prose_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/prose"
)

// below narrows the check to a folder:
//
//	go test ./internal/prose -args -below contract/audit
var below = flag.String("below", "", "check only files below this folder of the module")

const root = "../.."

func TestRules_EachFindsItsBadExampleAndNotItsGoodOne(t *testing.T) {
	t.Parallel()
	for _, r := range prose.Rules() {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			names := func(text string) []string {
				var all []string
				for _, f := range prose.Check([]prose.Text{{Words: text}}) {
					all = append(all, f.Rule)
				}
				return all
			}
			assert.Contains(t, names(r.Bad), r.Name)
			assert.NotContains(t, names(r.Good), r.Name)
		})
	}
}

func TestProject_IsWrittenByTheRules(t *testing.T) {
	t.Parallel()
	var texts []prose.Text
	var lines []prose.Finding
	files := 0
	err := filepath.WalkDir(filepath.Join(root, *below), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != filepath.Join(root, *below) && (strings.HasPrefix(name, ".") && name != ".ci" || name == "testdata" || name == "node_modules" || name == "prose") {
			return filepath.SkipDir
		}
		isGo, isPage := strings.HasSuffix(name, ".go"), strings.HasSuffix(name, ".md")
		if d.IsDir() || !isGo && !isPage {
			return nil
		}
		files++
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		shown, err := filepath.Rel(root, path)
		require.NoError(t, err)
		inFile := prose.FromMarkdown(shown, source)
		if isGo {
			inFile, err = prose.FromGo(shown, source)
			require.NoError(t, err)
		}
		texts = append(texts, inFile...)
		lines = append(lines, prose.CheckLines(shown, source)...)
		return nil
	})
	require.NoError(t, err)
	for _, f := range append(prose.Check(texts), lines...) {
		t.Error(f)
	}
	assert.Positive(t, files, "no file was found")
}
