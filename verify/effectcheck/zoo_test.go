package effectcheck

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo"
)

// expected has the answers for the lies that package effectcheck can see.
// Unknown fails an author's test too. It is Consistent for every other lie, and
// for the twins of these.
var expected = map[string]Conclusion{
	"pull_writes_a_file":         Contradicted,
	"write_with_swallowed_error": Contradicted,
	"query_recreates_rows":       Contradicted,
	"save_posts":                 Unknown,
	"metrics_over_udp":           Unknown,
	"run_starts_a_program":       Unknown,
	"write_after_return":         Contradicted,
	"temporary_file_stays":       Contradicted,
	"touch_changes_times":        Contradicted,
	"preview_creates_files":      Contradicted,
	"preview_posts":              Unknown,
	"search_phones_home":         Unknown,

	"update_notifies": Unknown, // its twin posts too, as it declares
}

// aboutEffects has the rules about what a handler can reach.
var aboutEffects = map[string]bool{zoo.RuleReadOnlyEffect: true, zoo.RuleDryRunEffect: true, zoo.RuleReachExternal: true}

func TestAnalyze_FindsTheLiesOfTheZooAndNoTwin(t *testing.T) {
	if testing.Short() {
		t.Skip("-short does not analyze the zoo, which takes half a minute")
	}
	dir, err := filepath.Abs("../internal/testing/effecttest")
	require.NoError(t, err)
	c, e := newConfig(dir, nil), zoo.NewEnv(t, zoo.Parts{})
	var lying, honest [][]target
	var all []target
	targetsOf := func(tool *contract.Tool) []target {
		targets, err := c.targets([]*contract.Tool{tool})
		require.NoError(t, err)
		all = append(all, targets...)
		return targets
	}
	for _, entry := range zoo.All() {
		lying = append(lying, targetsOf(entry.Lying(e).Tool))
		honest = append(honest, targetsOf(entry.Honest(e).Tool))
	}
	p, err := c.load(all)
	require.NoError(t, err)
	classes, err := newClassifier(nil)
	require.NoError(t, err)
	answer := func(targets []target) (Conclusion, map[string][]string) {
		p.find(targets)
		r := Analysis{Tools: []string{targets[0].doc.Name}}
		for _, t := range targets {
			r.Effects = append(r.Effects, p.analyze(t, classes)...)
		}
		return r.Conclusion(targets[0].doc.Name), r.Capabilities()
	}
	answers := map[string]zoo.Answers{}
	for i, entry := range zoo.All() {
		lie, lieReaches := answer(lying[i])
		twin, twinReaches := answer(honest[i])
		t.Logf("%s [%s]: the lie is %v %v, the twin %v %v", entry.Name, entry.Rule, lie, lieReaches, twin, twinReaches)
		about := zoo.Answers{Honest: string(twin)}
		if aboutEffects[entry.Rule] {
			about.Lying = string(lie)
		}
		answers[entry.Name] = about
		want, ok := expected[entry.Name]
		if !ok {
			want = Consistent
		}
		assert.Equal(t, string(want), string(lie), entry.Name)
		if entry.Name != "update_notifies" {
			assert.Equal(t, string(Consistent), string(twin), entry.Name)
		}
	}
	zoo.Record(t, "effectcheck", answers)
}
