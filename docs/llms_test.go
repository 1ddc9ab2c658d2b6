package docs_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	llmsFile    = "llms.txt"
	manualPages = "https://github.com/toolcontract/toolcontract/blob/main/docs/"
)

// llms returns the file that lists the manual for models, in the form of
// https://llmstxt.org: the index of the manual with absolute addresses.
func llms(t *testing.T) string {
	t.Helper()
	readme, index := read(t, "README.md"), read(t, manualIndex)
	_, about, found := strings.Cut(readme, "\n\ntoolcontract is ")
	require.True(t, found, "the README has a paragraph about the library")
	about, _, _ = strings.Cut(about, "\n\n")
	_, sections, found := strings.Cut(index, "\n\n## ")
	require.True(t, found)
	sections, _, _ = strings.Cut(sections, "\n\nThe types and functions")
	sections = regexp.MustCompile(`\]\(([a-z-]+\.md)\)`).ReplaceAllString(sections, "]("+manualPages+"$1)")
	return "# toolcontract\n\n> toolcontract is " + unwrapped(about) + "\n\n## " + strings.TrimSpace(sections) + "\n"
}

// This test may write the file, so it does not run in parallel.
func TestLLMs_ListsTheManual(t *testing.T) {
	want := llms(t)
	if *update {
		require.NoError(t, os.WriteFile(llmsFile, []byte(want), 0o644))
	}
	sameText(t, want, read(t, llmsFile), llmsFile)
	for _, page := range manual(t)[1:] {
		assert.Contains(t, want, manualPages+filepath.Base(page))
	}
}

// The README leads to eight pages, and to the index for the rest.
func TestREADME_LinksEightPagesOfTheManual(t *testing.T) {
	t.Parallel()
	readme := read(t, "README.md")
	_, links, found := strings.Cut(readme, "\n## The manual\n")
	require.True(t, found)
	assert.Equal(t, 8, strings.Count(links, "\n- ["))
	assert.Contains(t, links, "]("+manualIndex+")")
	assert.LessOrEqual(t, strings.Count(readme, "\n"), 125, "the README is short, and the manual has the rest")
}

// drawnLines returns the lines of a terminal that an SVG of .ci/session draws,
// without their spaces.
func drawnLines(t *testing.T, path string) map[string]bool {
	t.Helper()
	lines := map[string]bool{}
	decoder := xml.NewDecoder(strings.NewReader(read(t, path)))
	var line strings.Builder
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return lines
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "symbol" {
				line.Reset()
			}
		case xml.CharData:
			line.Write(token)
		case xml.EndElement:
			if token.Name.Local == "symbol" {
				lines[line.String()] = true
			}
		}
	}
}

// The drawing has every line of the steps of its theme, as the tour records
// them. .ci/session/run draws it again.
func TestExamplesPage_DrawsTheRecordedTour(t *testing.T) {
	t.Parallel()
	drawn := drawnLines(t, "docs/tour.svg")
	_, steps, found := strings.Cut(read(t, "examples/tour/testdata/tour.txt"), "\n\n13  ")
	require.True(t, found)
	steps, _, found = strings.Cut("13"+steps, "\n\n17  ")
	require.True(t, found)
	count := 0
	for line := range strings.Lines(steps) {
		if line = strings.Join(strings.Fields(line), ""); line != "" {
			count++
			assert.True(t, drawn[line], "docs/tour.svg has no line %q; run .ci/session/run", line)
		}
	}
	assert.Greater(t, count, 40)
}
