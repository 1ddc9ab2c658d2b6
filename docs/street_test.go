package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// streetRow is a row of the table of folders: folder, lines, sentence.
var streetRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (\\d[\\d,]*) \\| (.+) \\|$")

// TestArchitecturePage_StreetHasEveryFolderWithItsSize rounds sizes to hundreds,
// and accepts one that is off by a tenth, so that not every commit changes the
// page. With -update it writes them again.
func TestArchitecturePage_StreetHasEveryFolderWithItsSize(t *testing.T) {
	t.Parallel()
	page := read(t, architecturePage)
	var rows []string
	for _, row := range streetRow.FindAllStringSubmatch(page, -1) {
		rows = append(rows, row[1])
	}
	require.NotEmpty(t, rows, "the page has the street")

	sizes := map[string]int{}
	for _, file := range publishedSources(t) {
		if file == "doc.go" {
			continue
		}
		row := path.Dir(file)
		for row != "." && !slices.Contains(rows, row) {
			row = path.Dir(row)
		}
		if assert.NotEqual(t, ".", row, "the street has no row for %s", file) {
			sizes[row] += codeLines(t, file)
		}
	}
	wanted := streetRow.ReplaceAllStringFunc(page, func(row string) string {
		m := streetRow.FindStringSubmatch(row)
		size := sizes[m[1]]
		require.Positive(t, size, "%s has no code", m[1])
		stated, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
		require.NoError(t, err)
		if off := max(size-stated, stated-size); stated > 0 && off <= max(75, size/10) {
			return row
		}
		return fmt.Sprintf("| `%s` | %s | %s |", m[1], rounded(size), m[3])
	})
	if *update {
		require.NoError(t, os.WriteFile(architecturePage, []byte(wanted), 0o600))
		return
	}
	assert.Empty(t, difference(page, wanted), "run go test ./docs -update")
}

// rounded writes a number of lines as hundreds, such as 5,300.
func rounded(lines int) string {
	n := max((lines+50)/100*100, 100)
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// codeLines counts the lines of a file that hold code.
func codeLines(t *testing.T, file string) int {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	lines := map[int]bool{}
	for n := range ast.Preorder(parsed) {
		for line := set.Position(n.Pos()).Line; line <= set.Position(n.End()).Line; line++ {
			if _, isFile := n.(*ast.File); !isFile {
				lines[line] = lines[line] || line == set.Position(n.Pos()).Line || line == set.Position(n.End()).Line
			}
		}
	}
	n := 0
	for _, code := range lines {
		if code {
			n++
		}
	}
	return n
}

// TestArchitecturePage_FiveFilesTellACall fails if a file of the table is gone,
// lacks a function that the page sends its reader to, or if the five together
// became more than an hour's reading.
func TestArchitecturePage_FiveFilesTellACall(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(read(t, architecturePage), "\n## Five files tell what happens to a call\n")
	section, _, _ = strings.Cut(section, "\n## ")
	total, files := 0, 0
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+\\.go)` \\| .* \\| (.*) \\|$").FindAllStringSubmatch(section, -1) {
		file := row[1]
		if !strings.Contains(file, "/") {
			file = "guard/internal/engine/" + file
		}
		source := read(t, file)
		total += strings.Count(source, "\n")
		files++
		for _, name := range words(row[2]) {
			assert.Regexp(t, `(?m)^func (\([^)]*\) )?`+name+`\(`, source, "%s has no function %s", file, name)
		}
	}
	assert.Equal(t, 5, files)
	stated, err := strconv.Atoi(strings.ReplaceAll(regexp.MustCompile(`about ([\d,]+) lines`).FindStringSubmatch(section)[1], ",", ""))
	require.NoError(t, err)
	assert.InDelta(t, stated, total, float64(stated)/10, "the five files have %d lines", total)
}

// TestStreet_AServerLinksTheLibraryAndNothingOfTheRest lists the folders of the
// root that a server links whose author uses contract, guard and an adapter.
func TestStreet_AServerLinksTheLibraryAndNothingOfTheRest(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"mcpgo", "gosdk"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./examples/"+path.Join(
			map[string]string{"gosdk": "gosdk"}[server], "smallest")).Output()
		require.NoError(t, err)
		linked := map[string]bool{}
		for dep := range strings.FieldsSeq(string(out)) {
			if below, ok := strings.CutPrefix(dep, module+"/"); ok && !strings.HasPrefix(below, "examples/") {
				folder, _, _ := strings.Cut(below, "/")
				linked[folder] = true
				assert.NotContains(t, []string{"store/redisstore", "store/sqlstore", "store/sqlitefile", "internal/schema/diff"}, below)
			}
		}
		assert.ElementsMatch(t, []string{"adapter", "audit", "contract", "dryrun", "guard", "idempotency", "internal", server, "risk",
			"store", "trust"}, slices.Sorted(maps.Keys(linked)), "what a server on %s links", server)
	}
}
