package mcpgo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func TestMeasure_MatchesTheSizeOfTheList(t *testing.T) {
	t.Parallel()
	n := &tools{}
	report, err := contracttest.Measure(n.Note(nil).MustBuild(), n.Key().MustBuild(), n.Add().MustBuild())
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
}
