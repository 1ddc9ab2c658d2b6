package contract_test

import (
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
)

// The package comment is the only reference of keywords and formats.
func TestDoc_ListsTheKeywordsAndFormatsThatTheCodeKnows(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	require.NoError(t, err)
	doc := file.Doc.Text()

	keywords := indentedAfter(t, doc, "Its keywords are:")
	require.Contains(t, keywords[0], "applies to", "the head of the table")
	var listed []string
	for _, line := range keywords[1:] {
		names, _, _ := strings.Cut(regexp.MustCompile(` {2,}`).ReplaceAllString(line, "  "), "  ")
		if names == line { // the longest line has one blank only
			names = strings.TrimSuffix(line, " numbers")
		}
		listed = append(listed, strings.Fields(names)...)
	}
	assert.Equal(t, derive.Keywords(), slices.Sorted(slices.Values(listed)))

	formats := strings.Fields(strings.Join(indentedAfter(t, doc, "formats are:"), " "))
	assert.Equal(t, schema.Formats(), slices.Sorted(slices.Values(formats)))
}

// indentedAfter returns the lines of the block after a text.
func indentedAfter(t *testing.T, doc, text string) []string {
	t.Helper()
	_, rest, found := strings.Cut(doc, text)
	require.True(t, found, text)
	var lines []string
	for line := range strings.Lines(strings.TrimLeft(rest, "\n")) {
		block, indented := strings.CutPrefix(line, "\t")
		if !indented {
			break
		}
		lines = append(lines, strings.TrimSpace(block))
	}
	return lines
}
