package docs_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// update writes the generated pages, and the last line of every page:
//
//	go test ./docs -update
var update = flag.Bool("update", false, "write the generated parts of the manual again")

const manualIndex = "docs/README.md"

// longestPage bounds the lines of a page that people read from its beginning.
const longestPage = 170

// lists has the pages that people search and do not read.
var lists = []string{rulesPage, codesPage, architecturePage, hostsPage, "docs/cookbook.md"}

// manual returns the pages of docs, in the order of the index, and the index
// first.
func manual(t *testing.T) []string {
	t.Helper()
	pages := []string{manualIndex}
	for _, m := range regexp.MustCompile(`(?m)^- \[[^\]]+\]\(([a-z-]+\.md)\)`).FindAllStringSubmatch(read(t, manualIndex), -1) {
		pages = append(pages, "docs/"+m[1])
	}
	require.Greater(t, len(pages), 20, "the index lists its pages")
	return pages
}

func TestManual_IndexHasEveryPageOnce(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	pages := manual(t)
	slices.Sort(pages)
	assert.Equal(t, files, pages)
}

var program = regexp.MustCompile("(?ms)^```go\npackage main\n.*?^```$")

func TestManual_PagesHaveATitleAndAreShort(t *testing.T) {
	t.Parallel()
	for _, page := range manual(t) {
		// A whole program is there to be copied, and not to be read.
		lines := strings.Split(program.ReplaceAllString(read(t, page), ""), "\n")
		assert.True(t, strings.HasPrefix(lines[0], "# "), "%s begins with a title", page)
		assert.Empty(t, lines[1], "%s: a line after the title", page)
		if !slices.Contains(lists, page) {
			assert.LessOrEqual(t, len(lines), longestPage, "%s is too long to read", page)
		}
	}
}

// Each page ends with a link to the next one of the index. This test may write
// pages, so it runs before the parallel tests read them.
func TestManual_PagesLeadToTheNextOne(t *testing.T) {
	pages := manual(t)
	for i, page := range pages {
		if i == 0 || page == architecturePage {
			continue // the index has all links; the page for contributors is not in the row
		}
		want := "All pages: [the manual](README.md).\n"
		if i+1 < len(pages) {
			title, _, _ := strings.Cut(strings.TrimPrefix(read(t, pages[i+1]), "# "), "\n")
			want = fmt.Sprintf("Next: [%s](%s). All pages: [the manual](README.md).\n", title, filepath.Base(pages[i+1]))
		}
		text := read(t, page)
		if *update && !strings.HasSuffix(text, "\n\n"+want) {
			body, _, _ := strings.Cut(text, "\nNext: [")
			body, _, _ = strings.Cut(body, "\nAll pages: [")
			require.NoError(t, os.WriteFile(page, []byte(strings.TrimRight(body, "\n")+"\n\n"+want), 0o644))
			continue
		}
		assert.True(t, strings.HasSuffix(text, "\n\n"+want), "%s ends with %q; run go test ./docs -update", page, want)
	}
}

// A block of a language that is neither a command nor a drawing is a part of
// the file that the comment above it names. Indentation by tabs may differ.
func TestPages_BlocksAreCompiledOrRecorded(t *testing.T) {
	t.Parallel()
	shown := map[string]int{}
	for _, page := range append(manual(t), "README.md") {
		for _, b := range fence.FindAllStringSubmatch(read(t, page), -1) {
			from, language, text := b[1], b[2], b[3]
			shown[language]++
			if language == "sh" || language == "mermaid" {
				continue
			}
			if !assert.NotEmpty(t, from, "%s: a block does not name its file:\n%s", page, text) {
				continue
			}
			recorded := read(t, from)
			switch {
			case language == "text" && strings.HasSuffix(from, ".go"): // the output of an Example
				recorded, text = unwrapped(comment.ReplaceAllString(recorded, "")), unwrapped(text)
			case language == "text": // long lines are wrapped
				recorded, text = unwrapped(recorded), unwrapped(text)
			case language == "go":
				recorded, text = undented(recorded), undented(text)
			}
			//nolint:testifylint // Contains would print the whole file
			assert.True(t, strings.Contains(recorded, text), "%s no longer has this block of %s:\n%s", from, page, text)
		}
		assert.Len(t, fence.FindAllString(read(t, page), -1), strings.Count(read(t, page), "\n```")/2,
			"%s: a block has no language", page)
	}
	assert.Positive(t, shown["go"])
	assert.Positive(t, shown["text"])
}

var (
	tabs    = regexp.MustCompile(`(?m)^\t+`)
	comment = regexp.MustCompile(`(?m)^\t+// ?`)
)

func undented(code string) string { return tabs.ReplaceAllString(code, "") }

var runFolder = regexp.MustCompile(`^go (?:run|test)(?: -C (\S+))? (\./\S*|\.)`)

// Commands of the manual name folders that exist. Those of README are also run
// by .ci/run.
func TestManual_CommandsNameFoldersThatExist(t *testing.T) {
	t.Parallel()
	found := 0
	for _, page := range append(manual(t), "README.md") {
		for _, b := range fence.FindAllStringSubmatch(read(t, page), -1) {
			if b[2] != "sh" {
				continue
			}
			for line := range strings.Lines(b[3]) {
				m := runFolder.FindStringSubmatch(line)
				if m == nil || strings.HasSuffix(m[2], "...") {
					continue
				}
				if strings.Contains(read(t, page), "`"+strings.TrimPrefix(m[2], "./")+"/main.go`:") {
					continue // the reader has just written it
				}
				found++
				_, err := os.Stat(filepath.Join(m[1], m[2]))
				assert.NoError(t, err, "%s: %s", page, line)
			}
		}
	}
	assert.Positive(t, found)
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	anchor  = regexp.MustCompile(`<a id="([^"]+)">`)
	code    = regexp.MustCompile("(?ms)^```.*?^```$")
)

// anchors returns the anchors of a page: its headings as GitHub writes them,
// and those that it sets itself.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	text = code.ReplaceAllString(text, "")
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, linkText.ReplaceAllString(m[1], "$1"))
		for n, s := 1, slug; ; n, slug = n+1, fmt.Sprintf("%s-%d", s, n) {
			if !all[slug] {
				all[slug] = true
				break
			}
		}
	}
	for _, m := range anchor.FindAllStringSubmatch(text, -1) {
		all[m[1]] = true
	}
	return all
}

var linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

const reference = "https://pkg.go.dev/" + module

// Links to other sites are not fetched, except those to the documentation of
// this module, which are looked up in the source.
func TestDocuments_LinksHold(t *testing.T) {
	t.Parallel()
	source := exported(t)
	found := 0
	for _, page := range append(manual(t), "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md") {
		text := read(t, page)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if below, ok := strings.CutPrefix(m[1], reference); ok {
				pkg, name, _ := strings.Cut(strings.TrimPrefix(below, "/"), "#")
				assert.True(t, below == "" || source.has(pkg, name), "%s links to %s", page, m[1])
				found++
				continue
			}
			if strings.HasPrefix(m[1], "https://") {
				continue
			}
			file, at, hasAnchor := strings.Cut(m[1], "#")
			path, content := page, text
			if file != "" {
				path = filepath.Join(filepath.Dir(page), file)
				if _, err := os.Stat(path); !assert.NoError(t, err, "%s links to %s", page, m[1]) {
					continue
				}
				content = ""
			}
			if !hasAnchor {
				continue
			}
			if content == "" {
				content = read(t, path)
			}
			assert.True(t, anchors(content)[at], "%s links to %s, which has no such heading", page, m[1])
			found++
		}
	}
	assert.Greater(t, found, 20)
}

var pageAddress = regexp.MustCompile(`/blob/main/(docs/[a-z-]+\.md)|%s#([a-z.-]+)", pageOfRules`)

// Messages of the library lead to pages of the manual.
func TestLibrary_NamesOnlyPagesOfTheManual(t *testing.T) {
	t.Parallel()
	found := 0
	for _, file := range librarySources(t) {
		for _, m := range pageAddress.FindAllStringSubmatch(read(t, file), -1) {
			found++
			if m[1] != "" {
				assert.Contains(t, manual(t), m[1], file)
				continue
			}
			assert.True(t, anchors(read(t, rulesPage))[m[2]], "%s leads to an anchor that %s does not have", file, rulesPage)
		}
	}
	assert.Greater(t, found, 2)
}
