package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify"
)

// The tools of the workshop misbehave on purpose, and Verify finds how.
func TestWorkshop_EachMisbehaviourContradictsAContract(t *testing.T) {
	t.Parallel()
	broken := map[string]string{
		"notes.count":   "failure.undeclared",
		"notes.index":   "handler.panic",
		"reports.build": "deadline.ignored",
		"reports.state": "output.invalid",
		"jobs.run":      "deadline.ignored",
		"machine.use":   "resolve.higher",
	}
	all, err := newWorkshop().tools()
	require.NoError(t, err)
	for i, tool := range all {
		t.Run(tool.Name(), func(t *testing.T) {
			t.Parallel()
			v := verify.Observe(t, tool, verify.WithCallLimit(time.Second), verify.WithFixture(func(t testing.TB) verify.Fixture {
				shop := newWorkshop()
				t.Cleanup(func() {
					close(shop.slow)
					close(shop.job)
				})
				fresh, err := shop.tools()
				require.NoError(t, err)
				return verify.Fixture{Tool: fresh[i]}
			}))
			rules := map[string]bool{}
			for _, j := range v.Judgements {
				if j.Conclusion == verify.Contradicted {
					rules[j.Rule] = true
				}
			}
			want := map[string]bool{}
			if rule := broken[tool.Name()]; rule != "" {
				want[rule] = true
			}
			assert.Equal(t, want, rules, "%s", v)
		})
	}
}
