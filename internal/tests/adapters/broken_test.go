package adapters_test

import (
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// rejected returns the names of the rules the suite reports as broken. It
// checks the expected ones, or all of them if TOOLCONTRACT_SUITES is 1, which
// is meant for changes to the suite.
func (b breach) rejected(t *testing.T) (names []string) {
	t.Helper()
	check := func(t *testing.T) {
		t.Helper()
		newHarness := func() Harness {
			h := b.quirk.harness()
			h.patience = b.quirk.patience
			return h
		}
		err := CheckOnly(b.want, newHarness)
		if os.Getenv("TOOLCONTRACT_SUITES") == "1" {
			err = Check(newHarness)
		}
		for _, violation := range RuleErrors(err) {
			t.Log(violation)
			assert.NotEmpty(t, violation.Message)
			names = append(names, violation.Rule)
		}
		assert.Equal(t, len(names) == 0, err == nil)
	}
	if b.quirk.patience > 0 {
		check(t)
		return names
	}
	synctest.Test(t, func(t *testing.T) { // so that no time passes while an adapter hangs
		check(t)
		time.Sleep(time.Hour) // until everything that hangs has ended
	})
	return names
}

func TestSuite_RejectsEveryAdapterThatBreaksARule(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	found := map[string]bool{}
	t.Run("adapters", func(t *testing.T) {
		for _, b := range broken() {
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				got := b.rejected(t)
				assert.Equal(t, b.want, got)
				mu.Lock()
				defer mu.Unlock()
				for _, name := range got {
					found[name] = true
				}
			})
		}
	})
	for _, r := range Rules() {
		assert.True(t, found[r.Name], "no broken adapter violates the rule %s", r.Name)
	}
}

// A breach is an adapter that breaks one thing, and the rules that report it.
type breach struct {
	name  string
	quirk quirk
	want  []string
}

func broken() []breach {
	return slices.Concat(brokenLists(), brokenNames(), brokenCalls(), brokenResults(), brokenCallers(), brokenQuestions(),
		brokenEnds())
}
