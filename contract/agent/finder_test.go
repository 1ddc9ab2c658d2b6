package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/risk"
)

// A wordFinder finds tools whose name holds the query.
type wordFinder struct {
	tools []agent.Tool
	err   error
}

func (f wordFinder) Find(_ context.Context, query string, limit int) ([]agent.Tool, error) {
	found := slices.DeleteFunc(slices.Clone(f.tools), func(t agent.Tool) bool { return !strings.Contains(t.Name, query) })
	return found[:min(len(found), limit)], f.err
}

// offered returns a model that plays turns, and the tools that it was offered
// in each.
func offered(turns ...agent.Turn) (agent.Model, *[]string) {
	seen, play := new([]string), playing(turns...)
	return func(ctx context.Context, c agent.Conversation) (agent.Turn, error) {
		names := make([]string, 0, len(c.Tools))
		for _, t := range c.Tools {
			names = append(names, t.Name)
		}
		*seen = append(*seen, strings.Join(names, " "))
		return play(ctx, c)
	}, seen
}

func TestRun_AModelSearchesForTools(t *testing.T) {
	t.Parallel()
	s := newShop()
	model, seen := offered(wants(`find_tools {"query":"write"}`, `find_tools {"query":"export"}`, `find_tools {}`), wants(`notes.write {}`))
	task := taskOf(model, s)
	task.Finder = wordFinder{tools: s.tools}
	task.Policy.Domains = []string{"notes"} // not that of the search
	events := recordEvents(&task)
	report, err := agent.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, []string{"find_tools", "find_tools notes.write", "find_tools notes.write"}, *seen, "a forbidden tool is not found")
	assert.Equal(t, []string{"notes.write"}, report.State.Found)
	assert.Equal(t, []string{`notes.write {}`}, s.called())
	assert.Contains(t, *events, `observed find_tools {} error invalid_input`)

	task.State, task.Model = report.State, nil
	task.Model, seen = offered()
	task.State.Messages = append(task.State.Messages, agent.Message{Role: agent.RoleUser, Text: "And again?"})
	_, err = agent.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, []string{"find_tools notes.write"}, *seen, "what was found is found after a restart")
}

func TestRun_ASearchThatFailsIsAnObservation(t *testing.T) {
	t.Parallel()
	s := newShop()
	task := taskOf(playing(wants(`find_tools {"query":"write"}`)), s)
	task.Finder = wordFinder{err: errors.New("no index")}
	events := recordEvents(&task)
	_, err := agent.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Contains(t, *events, `observed find_tools {"query":"write"} error unavailable`)
}

func TestRun_AServerCannotHaveTheNameOfTheSearch(t *testing.T) {
	t.Parallel()
	s := &shop{tools: []agent.Tool{shopTool(agent.FindTools, shopRead)}}
	task := taskOf(playing(), s)
	task.Finder = wordFinder{}
	_, err := agent.Run(t.Context(), task)
	assert.Error(t, err)
}

func ExampleSummaries() {
	tools := []agent.Tool{
		{Name: "files_read", Contract: contract.Document{Effect: risk.ReadOnly, Description: "Returns the content of a text file. The file must be in UTF-8, and at most 256 KiB long."}},
		{Name: "files_write", Contract: contract.Document{Effect: risk.HighRiskWrite, Description: "Writes a text file."}},
	}
	for _, budget := range []int64{100, 40, 20, 10} {
		fmt.Print(agent.Summaries(tools, budget), "--\n")
	}
	// Output:
	// files_read (read-only): Returns the content of a text file. The file must be in UTF-8, and at most 256 KiB long.
	// files_write (high-risk-write): Writes a text file.
	// --
	// files_read (read-only): Returns the content of a text file.
	// files_write (high-risk-write): Writes a text file.
	// --
	// files_read (read-only)
	// files_write (high-risk-write)
	// --
	// and 2 more
	// --
}

func TestSummaries_FitTheirBudget(t *testing.T) {
	t.Parallel()
	var tools []agent.Tool
	for n := range 60 {
		tools = append(tools, agent.Tool{Name: fmt.Sprintf("notes_tool%d", n), Contract: contract.Document{Description: strings.Repeat("Wörter über Wörter. ", n)}})
	}
	longest := 0
	for budget := int64(-1); budget < 3000; budget += 7 {
		text := agent.Summaries(tools, budget)
		assert.LessOrEqual(t, agent.EstimateTokens(text), max(budget, 0))
		assert.GreaterOrEqual(t, len(text), longest*9/10, "a larger budget has no shorter text")
		assert.True(t, utf8.ValidString(text))
		longest = max(longest, len(text))
	}
	assert.Empty(t, agent.Summaries(nil, 100))
}
