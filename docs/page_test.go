package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const architecturePage = "docs/architecture.md"

var backquoted = regexp.MustCompile("`([^`\n]+)`")

// words returns what stands between backquotes in a text.
func words(text string) []string {
	var all []string
	for _, match := range backquoted.FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

// librarySources returns the paths of the source files of the library and of
// its internal packages, without tests and examples.
func librarySources(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != "." && (strings.HasPrefix(name, ".") || name == "testdata" || hasModule(file)) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && file != "doc.go" {
			files = append(files, filepath.ToSlash(file))
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(files), 50, "the sources of the library were not found")
	return files
}

// publishedSources returns the paths of the source files of all published
// modules: the library, and the modules beside it. Tests and their kits are left
// out.
func publishedSources(t *testing.T) []string {
	t.Helper()
	apart := []string{"adoption", "benchmarks", "docs", "examples", "testdata", "testing", "tests"}
	var files []string
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(name, ".") || slices.Contains(apart, name)):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			files = append(files, filepath.ToSlash(file))
		}
		return nil
	}))
	require.Greater(t, len(files), 50, "the sources were not found")
	return files
}

// hasModule reports whether a folder is a module of its own.
func hasModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

var pathLike = regexp.MustCompile(`^[\w./-]+$`)

// A path in a page is a word with the suffix of a file, or one that begins with
// a folder of the root. A file without a folder is in the root or in a package.
func TestPages_NameOnlyFilesThatExist(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	names := map[string]bool{}
	for _, file := range librarySources(t) {
		names[path.Base(file)] = true
	}
	for _, page := range []string{architecturePage, "CONTRIBUTING.md"} {
		found := 0
		for _, word := range words(read(t, page)) {
			first, _, isPath := strings.Cut(word, "/")
			isFile := slices.Contains([]string{".go", ".md", ".json"}, path.Ext(word))
			if !pathLike.MatchString(word) || !isFile && !(isPath && slices.Contains(folders, first)) {
				continue
			}
			found++
			if _, err := os.Stat(word); err != nil {
				assert.True(t, !isPath && names[word], "%s names %s, which does not exist", page, word)
			}
		}
		assert.Greater(t, found, 5, "%s: its paths were not found", page)
	}
}

// packageRows returns the packages that the table of packages has: the first
// column by their paths, the third by their names in the folder internal.
func packageRows(t *testing.T) []string {
	t.Helper()
	_, section, found := strings.Cut(read(t, architecturePage), "\n| package |")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var packages []string
	for line := range strings.Lines(section) {
		columns := strings.Split(line, "|")
		if len(columns) < 5 {
			continue
		}
		own := words(columns[1])
		packages = append(packages, own...)
		parent := ""
		if len(own) > 0 {
			parent = own[0]
		}
		for _, name := range words(columns[3]) {
			packages = append(packages, path.Join(parent, "internal", name))
		}
	}
	return packages
}

func TestArchitecturePage_HasEveryPackageOnce(t *testing.T) {
	t.Parallel()
	var packages []string
	for _, file := range librarySources(t) {
		packages = append(packages, path.Dir(file))
	}
	slices.Sort(packages)
	listed := packageRows(t)
	slices.Sort(listed)
	assert.Empty(t, difference(strings.Join(slices.Compact(packages), "\n"), strings.Join(listed, "\n")),
		"the table of packages in %s differs from the tree", architecturePage)
}

var (
	node  = regexp.MustCompile(`(?m)^  (\w+)\["([^<"]+)`)
	arrow = regexp.MustCompile(`(?m)^  (\w+) --> (\w+)$`)
)

// Each arrow of the page is an import that the layers allow, and each allowed
// import is an arrow or a way along arrows. No arrow follows from others.
// Internal packages are not drawn.
func TestArchitecturePage_DrawsTheLayers(t *testing.T) {
	t.Parallel()
	drawing, _, _ := strings.Cut(read(t, architecturePage), "\n| package |")
	partsOf, nodeOf := map[string][]string{}, map[string]string{}
	for _, match := range node.FindAllStringSubmatch(drawing, -1) {
		for part := range strings.SplitSeq(match[2], " · ") {
			assert.Contains(t, layers, part, "the page draws a part that the architecture does not have")
			partsOf[match[1]] = append(partsOf[match[1]], part)
			nodeOf[part] = match[1]
		}
	}
	below := map[string][]string{}
	for _, match := range arrow.FindAllStringSubmatch(drawing, -1) {
		from, to := match[1], match[2]
		below[from] = append(below[from], to)
		assert.True(t, slices.ContainsFunc(partsOf[from], func(part string) bool {
			return slices.ContainsFunc(partsOf[to], func(lower string) bool { return slices.Contains(layers[part], lower) })
		}), "the page draws %s --> %s, which the layers do not allow", from, to)
	}
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return from == to || slices.ContainsFunc(below[from], func(next string) bool { return reaches(next, to) })
	}
	for from, drawn := range below {
		for _, to := range drawn {
			assert.False(t, slices.ContainsFunc(drawn, func(next string) bool { return next != to && reaches(next, to) }),
				"%s --> %s follows from two other arrows", from, to)
		}
	}
	for part, lower := range layers {
		if isInternal(part) {
			continue
		}
		assert.NotEmpty(t, nodeOf[part], "the page does not draw %s", part)
		for _, other := range lower {
			assert.True(t, isInternal(other) || reaches(nodeOf[part], nodeOf[other]), "the page has no way from %s to %s", part, other)
		}
	}
}

func isInternal(part string) bool { return slices.Contains(strings.Split(part, "/"), "internal") }
