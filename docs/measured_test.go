package docs_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const measuredPage = "docs/measured.md"

// replayed has the figures of examples/airline/replay for one half of the
// tasks.
type replayed struct {
	cells   map[string]string // by their names in the output of -json
	refused []refusedWrites
}

type refusedWrites struct {
	Code   string `json:"code"`
	Right  bool   `json:"right"`
	Writes int    `json:"writes"`
	Tasks  []int  `json:"tasks"`
}

// recordedReplay reads recorded figures. They are nil if there are none.
func recordedReplay(t *testing.T, name string) *replayed {
	t.Helper()
	text, err := os.ReadFile("examples/airline/replay/testdata/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	members := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(text, &members))
	r := &replayed{cells: map[string]string{}}
	require.NoError(t, json.Unmarshal(members["refused"], &r.refused))
	delete(members, "refused")
	for name, raw := range members {
		var counts map[string]int
		switch {
		case json.Unmarshal(raw, &counts) != nil:
			r.cells[name] = unwrapped(strings.Trim(string(raw), "[]"))
		case name == "passed":
			for kind, n := range counts {
				r.cells[kind] = fmt.Sprint(n)
			}
		default:
			for clause, n := range counts {
				r.cells[name+"."+clause] = fmt.Sprint(n)
			}
		}
	}
	return r
}

// tally returns how many writes a code refused in which tasks.
func (r *replayed) tally(code string, right bool) string {
	for _, f := range r.refused {
		if f.Code == code && f.Right == right {
			tasks := strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Tasks), " ", ", "), "[]")
			return fmt.Sprintf("%d (in %s)", f.Writes, tasks)
		}
	}
	return "–"
}

// rowCells returns the two cells of a row. For a code, they are the stopped and
// the refused right writes of both halves; otherwise, one figure for each half.
func rowCells(name string, given, heldOut *replayed) (first, second string) {
	isCode := func(r *replayed) bool {
		return r != nil && slices.ContainsFunc(r.refused, func(f refusedWrites) bool { return f.Code == name })
	}
	switch {
	case (isCode(given) || isCode(heldOut)) && heldOut == nil:
		return given.tally(name, false), given.tally(name, true)
	case isCode(given) || isCode(heldOut):
		return given.tally(name, false) + "; held out " + heldOut.tally(name, false),
			given.tally(name, true) + "; held out " + heldOut.tally(name, true)
	case heldOut == nil && name == "runs":
		return cmp.Or(given.cells[name], "0"), "not measured here yet"
	case heldOut == nil:
		return cmp.Or(given.cells[name], "0"), "–"
	}
	return cmp.Or(given.cells[name], "0"), cmp.Or(heldOut.cells[name], "0")
}

// figureRow matches a row of the page: a name, two cells of figures, and a
// text.
var figureRow = regexp.MustCompile("(?m)^\\| `([\\w.]+)` \\|([^|]*)\\|([^|]*)\\| (.+) \\|$")

// figureSentence matches the figures in README.
var figureSentence = regexp.MustCompile(`\[stopped\s\d+\sof\s\d+\s[^]]*\]\(docs/measured\.md\)`)

var number = regexp.MustCompile(`\d+`)

// The page and README have the figures that the command printed. README has
// those of the held-out half once it is recorded. With -update, this test
// writes both files, so it runs before the parallel tests that read them.
func TestMeasuredPage_HasTheFiguresOfTheReplay(t *testing.T) {
	given, heldOut := recordedReplay(t, "recorded.json"), recordedReplay(t, "held-out.json")
	require.NotNil(t, given)
	unnamed := map[string]bool{}
	for _, half := range []*replayed{given, heldOut} {
		if half == nil {
			continue
		}
		for name := range half.cells {
			unnamed[name] = true
		}
		for _, f := range half.refused {
			unnamed[f.Code] = true
		}
	}
	page := read(t, measuredPage)
	wantedPage := figureRow.ReplaceAllStringFunc(page, func(row string) string {
		m := figureRow.FindStringSubmatch(row)
		name := m[1]
		assert.True(t, unnamed[name], "%s has a row for %s, which no recorded figure has, or two rows", measuredPage, name)
		delete(unnamed, name)
		first, second := rowCells(name, given, heldOut)
		return fmt.Sprintf("| `%s` | %s | %s | %s |", name, first, second, m[4])
	})
	assert.Empty(t, slices.Sorted(maps.Keys(unnamed)), "%s has no row for these figures", measuredPage)

	readme := read(t, "README.md")
	require.True(t, figureSentence.MatchString(readme), "README.md says what was stopped, and links to %s", measuredPage)
	wantedREADME := figureSentence.ReplaceAllStringFunc(readme, func(sentence string) string {
		cells := cmp.Or(heldOut, given).cells
		numbers := []string{cells["stopped"], cells["wrong"], cells["rightRefused"], cells["right"]}
		return number.ReplaceAllStringFunc(sentence, func(string) string {
			n := numbers[0]
			numbers = append(numbers[1:], "…")
			return n
		})
	})
	if *update {
		require.NoError(t, os.WriteFile(measuredPage, []byte(wantedPage), 0o644))
		require.NoError(t, os.WriteFile("README.md", []byte(wantedREADME), 0o644))
	}
	sameText(t, wantedPage, read(t, measuredPage), measuredPage)
	sameText(t, wantedREADME, read(t, "README.md"), "README.md")
}
