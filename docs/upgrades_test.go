package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var packageName = regexp.MustCompile("`([^`]+)`")

// Users plan their upgrades by the two tables, so no package may be missing or
// be in both.
func TestUpgrades_EachPackageIsStableOrExperimental(t *testing.T) {
	t.Parallel()
	_, tables, found := strings.Cut(read(t, "docs/upgrades.md"), "\n| packages | who uses them |\n")
	require.True(t, found)
	stable, rest, found := strings.Cut(tables, "\nThese are experimental.")
	require.True(t, found)
	experimental, _, found := strings.Cut(rest, "\n## ")
	require.True(t, found)

	var listed []string
	for _, table := range []string{stable, experimental} {
		before := len(listed)
		for line := range strings.Lines(table) {
			if cells := strings.Split(line, "|"); len(cells) > 2 {
				for _, m := range packageName.FindAllStringSubmatch(cells[1], -1) {
					listed = append(listed, m[1])
				}
			}
		}
		assert.Greater(t, len(listed), before, "a table has no packages")
	}
	slices.Sort(listed)
	assert.Equal(t, publicPackages(t), listed)
}

// publicPackages returns the packages that the published modules export, except
// the examples and the root, which has only the documentation of the module.
func publicPackages(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Module", module+"/...").Output()
	require.NoError(t, err)
	var public []string
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			ImportPath string
			Module     struct{ Dir string }
		}
		require.NoError(t, dec.Decode(&p))
		name, below := strings.CutPrefix(p.ImportPath, module+"/")
		if _, err := os.Stat(filepath.Join(p.Module.Dir, "LICENSE")); err != nil || !below {
			continue
		}
		if parts := strings.Split(name, "/"); !slices.Contains(parts, "internal") && parts[0] != "examples" {
			public = append(public, name)
		}
	}
	slices.Sort(public)
	return public
}
