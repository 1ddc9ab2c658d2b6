package verify

import (
	"slices"
	"sync"
	"testing"
)

// acceptances records which contradictions a test's acceptances accepted. It is
// safe for concurrent use.
type acceptances struct {
	all []acceptance

	mu   sync.Mutex
	seen []acceptedFinding // the first of each rule
}

// An acceptedFinding is an accepted contradiction of one tool.
type acceptedFinding struct {
	tool string
	Judgement
}

// without returns the findings about a tool that no acceptance covers, and
// records the rest.
func (a *acceptances) without(tool string, found []Judgement) []Judgement {
	return slices.DeleteFunc(found, func(j Judgement) bool {
		i := slices.IndexFunc(a.all, func(one acceptance) bool { return one.rule == j.Rule })
		if i < 0 || j.Conclusion != Contradicted {
			return false
		}
		j.Accepted = a.all[i].reason
		a.mu.Lock()
		defer a.mu.Unlock()
		if !slices.ContainsFunc(a.seen, func(f acceptedFinding) bool { return f.Rule == j.Rule }) {
			a.seen = append(a.seen, acceptedFinding{tool, j})
		}
		return true
	})
}

func (a *acceptances) log(t testing.TB) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.seen {
		t.Logf("verify: %s: %s", f.tool, f.Judgement)
	}
}

// refuseStale fails t for each acceptance that accepted nothing. The hint says
// what the author can do instead of removing it.
func (a *acceptances) refuseStale(t testing.TB, by, hint string) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.all {
		if !slices.ContainsFunc(a.seen, func(f acceptedFinding) bool { return f.Rule == one.rule }) {
			t.Errorf("verify: %s: WithAccepted: nothing contradicts %s any more; remove the acceptance%s", by, one.rule, hint)
		}
	}
}
