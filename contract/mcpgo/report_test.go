package mcpgo_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/internal/sdktest"
)

func TestReport_MatchesTheSizeOfTheList(t *testing.T) {
	t.Parallel()
	n := &tools{}
	report, err := mcpgo.Report(n.Note(nil).MustBuild(), n.Key().MustBuild(), n.Add().MustBuild())
	require.NoError(t, err)
	require.Len(t, report.Tools, 2, "a forbidden tool is not listed")
	assert.Equal(t, "calc.add", report.Tools[0].Name)
	for tier, bytes := range map[contract.Tier]int{contract.TierHints: report.Tools[0].Hints,
		contract.TierSummary: report.Tools[0].Summary, contract.TierFull: report.Tools[0].Full} {
		k := newKit(t, []*contract.Tool{n.Add().MustBuild()}, mcpgo.WithNames(contract.Underscore), mcpgo.WithTier(tier))
		is, _ := listing(t, handle(t, k.server, list))
		assert.Len(t, is["calc_add"], bytes, tier)
	}
	assert.Equal(t, report.Tools[0].Full+report.Tools[1].Full, report.Total().Full)
	rows := strings.Split(report.String(), "\n")
	require.Len(t, rows, 5)
	assert.Equal(t, []string{"tool", "hints", "tokens", "summary", "tokens", "full", "tokens"}, strings.Fields(rows[0]))
	assert.Equal(t, "total", strings.Fields(rows[3])[0])
	again, err := mcpgo.Report(n.Add().MustBuild(), n.Note(nil).MustBuild())
	require.NoError(t, err)
	assert.Equal(t, report.String(), again.String(), "the order of the tools does not matter")
}

func TestReport_RefusesToolsThatCannotBeServed(t *testing.T) {
	t.Parallel()
	long := (&tools{}).Add().Version("1.0.0-" + strings.Repeat("a", 200)).MustBuild()
	_, err := mcpgo.Report(nil, long)
	assert.Equal(t, []string{"serve.nil", "serve.summary calc.add"}, sdktest.Rules(err))
	empty, err := mcpgo.Report()
	require.NoError(t, err)
	assert.Zero(t, empty.Total().Full)
}

func TestTokens_RoundsUp(t *testing.T) {
	t.Parallel()
	for bytes, tokens := range map[int]int{0: 0, 1: 1, 4: 1, 5: 2, 400: 100} {
		assert.Equal(t, tokens, mcpgo.Tokens(bytes))
	}
}
