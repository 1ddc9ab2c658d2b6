package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
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

const (
	aisvsPage   = "docs/aisvs.md"
	threatsPage = "docs/limits-of-protection.md"
)

// An aisvsRow is a row of contracttest/aisvs.json.
type aisvsRow struct {
	ID       string   `json:"id"`
	Versions []string `json:"versions"`
	Level    int      `json:"level"`
	Demand   string   `json:"demand"`
	Verdict  string   `json:"verdict"`
	Judge    string   `json:"judge"`
	Clauses  []string `json:"clauses"`
	Tests    []string `json:"tests"`
	Page     string   `json:"page"`
	Note     string   `json:"note"`
}

// aisvsVersions are the versions of the standard that were read.
var aisvsVersions = []string{"1.0", "1.01-dev"}

// aisvsTitles has our own titles for the sections of the standard.
var aisvsTitles = map[string]string{
	"9": "C9: agents", "10": "C10: MCP",
	"9.1": "Budgets and limits", "9.2": "Approval of serious actions", "9.3": "Isolation and manifests of tools",
	"9.4": "Identity of agents", "9.5": "Authorization and delegation", "9.6": "Stopping", "10.1": "Where components come from",
	"10.2": "Authentication and authorization", "10.3": "Transport", "10.4": "Schemas and messages",
}

// aisvsVerdicts are the verdicts as the page words them.
var aisvsVerdicts = map[string]string{"met": "met", "declared": "declared", "unmet": "not met", "outside": "outside"}

func aisvsRows(t *testing.T) []aisvsRow {
	t.Helper()
	var rows []aisvsRow
	d := json.NewDecoder(bytes.NewReader([]byte(read(t, "contracttest/aisvs.json"))))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&rows))
	return rows
}

// count returns how many rows of a version have each verdict.
func count(rows []aisvsRow, version string) map[string]int {
	n := map[string]int{}
	for _, r := range rows {
		if slices.Contains(r.Versions, version) {
			n[r.Verdict]++
		}
	}
	return n
}

// numbers returns the sorted ids of the rows with a verdict, without
// duplicates.
func numbers(rows []aisvsRow, verdict string) []string {
	var ids []string
	for _, r := range rows {
		if r.Verdict == verdict {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// renderAISVS writes the tables of the page.
func renderAISVS(t *testing.T, rows []aisvsRow) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprint(&b, "| version | met | declared | not met | outside |\n|---|---|---|---|---|\n")
	for _, version := range aisvsVersions {
		n := count(rows, version)
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", version, n["met"], n["declared"], n["unmet"], n["outside"])
	}
	chapter, section := "", ""
	for _, r := range rows {
		of, _, _ := strings.Cut(r.ID, ".")
		if of != chapter {
			chapter = of
			fmt.Fprintf(&b, "\n### %s\n\n| requirement | level | asks for | verdict | by | note | shown by |\n"+
				"|---|---|---|---|---|---|---|\n", aisvsTitles[of])
		}
		if of = r.ID[:strings.LastIndex(r.ID, ".")]; of != section {
			section = of
			fmt.Fprintf(&b, "| **%s** | | **%s** | | | | |\n", of, aisvsTitles[of])
		}
		id := r.ID
		if len(r.Versions) < len(aisvsVersions) {
			id += " of " + r.Versions[0]
		}
		var by, tests []string
		for _, clause := range r.Clauses {
			by = append(by, "`"+clause+"`")
		}
		if r.Page != "" {
			by = append(by, fmt.Sprintf("[%s](%s)", strings.TrimSuffix(strings.SplitN(r.Page, "#", 2)[0], ".md"), r.Page))
		}
		for _, test := range r.Tests {
			folder, name, _ := strings.Cut(test, " ")
			tests = append(tests, fmt.Sprintf("[%s](../%s)", name, testFile(t, folder, name)))
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s |\n", id, r.Level, r.Demand, aisvsVerdicts[r.Verdict],
			strings.Join(by, ", "), r.Note, strings.Join(tests, ", "))
	}
	return b.String()
}

// testFile returns the file of a folder that declares a test.
func testFile(t *testing.T, folder, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		if slices.Contains(testsOf(t, file), name) {
			return filepath.ToSlash(file)
		}
	}
	t.Errorf("%s has no test %s", folder, name)
	return path.Join(folder, "missing_test.go")
}

// testsOf returns the tests, fuzz tests and examples that a file declares.
func testsOf(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var names []string
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if ok && f.Recv == nil && regexp.MustCompile(`^(Test|Fuzz|Example)[^a-z]`).MatchString(f.Name.Name) {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

var aisvsTables = regexp.MustCompile(`(?s)(<!-- aisvs -->\n).*(<!-- end -->)`)

// The page has the rows of contracttest/aisvs.json, with the files of their
// tests. This test may write the page, so it runs before the parallel tests
// read it.
func TestAISVSPage_HasTheRequirements(t *testing.T) {
	text := read(t, aisvsPage)
	require.Regexp(t, aisvsTables, text)
	tables := renderAISVS(t, aisvsRows(t))
	want := aisvsTables.ReplaceAllStringFunc(text, func(string) string { return "<!-- aisvs -->\n\n" + tables + "\n<!-- end -->" })
	if *update {
		require.NoError(t, os.WriteFile(aisvsPage, []byte(want), 0o644))
		text = want
	}
	sameText(t, want, text, aisvsPage)
}

// testdata/aisvs.txt has the numbers and levels of the standard.
func TestAISVS_HasEachRequirementOnceForEachVersion(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, version := range aisvsVersions {
		fmt.Fprintf(&b, "# %s\n", version)
		for _, r := range aisvsRows(t) {
			if slices.Contains(r.Versions, version) {
				fmt.Fprintf(&b, "%s %d\n", r.ID, r.Level)
			}
		}
	}
	assert.Empty(t, difference(read(t, "docs/testdata/aisvs.txt"), b.String()))
}

func TestAISVS_RowsSayWhatShowsThem(t *testing.T) {
	t.Parallel()
	source := exported(t)
	pages := manual(t)
	for _, r := range aisvsRows(t) {
		assert.NotEmpty(t, aisvsVerdicts[r.Verdict], r.ID)
		assert.NotEmpty(t, r.Demand, r.ID)
		assert.NotEmpty(t, r.Note, r.ID)
		if r.Verdict == "met" || r.Verdict == "declared" {
			assert.NotEmpty(t, r.Tests, r.ID)
			assert.NotEmpty(t, r.Judge, r.ID)
		} else {
			assert.Empty(t, r.Judge, "%s: nothing of a server can change the verdict", r.ID)
		}
		for _, clause := range r.Clauses {
			option, isOption := strings.CutPrefix(clause, "guard.")
			isTag := slices.Contains([]string{"review", "secret"}, clause)
			assert.True(t, isTag || isOption && source.has("guard", option) || source.has("contract", "Builder."+clause),
				"%s names the clause %s", r.ID, clause)
		}
		if r.Page == "" {
			continue
		}
		file, at, hasAnchor := strings.Cut(r.Page, "#")
		if assert.Contains(t, pages, "docs/"+file, r.ID) && hasAnchor {
			assert.True(t, anchors(read(t, "docs/"+file))[at], "%s names %s", r.ID, r.Page)
		}
	}
}

var requirement = regexp.MustCompile(`\b(?:9|10)\.\d+\.\d+\b`)

// The last two sections of the page name what is not met and what is outside.
func TestAISVSPage_NamesWhatIsNotMetAndWhatIsOutside(t *testing.T) {
	t.Parallel()
	rows := aisvsRows(t)
	for title, verdict := range map[string]string{"Not met": "unmet", "Outside": "outside"} {
		_, section, found := strings.Cut(read(t, aisvsPage), "\n## "+title+"\n")
		require.True(t, found, title)
		section, _, _ = strings.Cut(section, "\n## ")
		named := map[string]bool{}
		for _, id := range requirement.FindAllString(section, -1) {
			named[id] = true
		}
		assert.Equal(t, numbers(rows, verdict), slices.Sorted(maps.Keys(named)), title)
	}
}

var (
	testLink = regexp.MustCompile(`\[((?:Test|Fuzz|Example)\w+)\]\(\.\./([^)]+)\)`)
	topTen   = regexp.MustCompile(`(?m)^\| (MCP\d\d) `)
)

// A reviewer follows the links to tests, so each linked file must declare its
// test.
func TestPages_LinksLeadToTheTestsThatTheyName(t *testing.T) {
	t.Parallel()
	for _, page := range []string{aisvsPage, threatsPage} {
		links := testLink.FindAllStringSubmatch(read(t, page), -1)
		assert.Greater(t, len(links), 10, page)
		for _, m := range links {
			assert.Contains(t, testsOf(t, m[2]), m[1], page)
		}
	}
}

func TestThreatsPage_HasTheMCPTopTen(t *testing.T) {
	t.Parallel()
	var listed, want []string
	for _, m := range topTen.FindAllStringSubmatch(read(t, threatsPage), -1) {
		listed = append(listed, m[1])
	}
	for i := range 10 {
		want = append(want, fmt.Sprintf("MCP%02d", i+1))
	}
	assert.Equal(t, want, listed)
}
