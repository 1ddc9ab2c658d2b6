package storetest

import (
	"github.com/toolcontract/toolcontract/contract/store"
)

// within returns the claim with a budget.
func within(c store.Claim, key store.Key, limit int64) store.Claim {
	c.Budget = store.Budget{Key: key, Limit: limit}
	return c
}

// spentTwice returns a key under which two things of one kind were counted, and one of another.
func (p *probe) spentTwice() store.Key {
	key := p.key()
	p.add(key, wrongCode, retention, 1, "with a new key")
	p.add(key, refused, retention, 1, "of another kind")
	p.add(key, wrongCode, retention, 2, "of the first kind")
	return key
}

const usedUp = "with a budget that is used up"

func checkBudget(p *probe) {
	unused := within(p.request(), p.key(), 1)
	p.claim(unused, store.Claimed, "with a budget under whose key nothing was counted")
	p.holds(unused, "after a claim with a budget")

	counts := p.spentTwice()
	p.claim(within(p.request(), counts, 3), store.Claimed, "with a budget that one more of a kind would use up")
	for _, limit := range []int64{2, 1} {
		n := p.nonce()
		c := with(within(p.request(), counts, limit), n)
		p.discloses(p.claim(c, store.Exhausted, usedUp), store.ClaimResult{}, usedUp)
		p.absent(c.Key, "after a claim "+usedUp)
		p.claim(with(p.request(), n), store.Claimed, "with the nonce of a claim whose budget was used up")
		c.Owner = store.NewOwner()
		p.claim(c, store.Exhausted, usedUp+", and a nonce that another has spent")
	}
	p.max(counts, 2, "after claims with it")
	for _, s := range situations() {
		c := s.put(p)
		counts := p.spentTwice() // now, for time may have passed
		before := p.get(c.Key, s.name)
		attempts := []struct {
			claim   store.Claim
			verdict store.ClaimStatus
		}{{rival(c), s.verdict}, {rerun(rival(c)), s.rerun}}
		if s.doubt { // its owner does not hold it in progress
			attempts = append(attempts, attempts[1])
			attempts[2].claim.Owner = c.Owner
		}
		for _, attempt := range attempts {
			if attempt.verdict == store.Claimed {
				p.claim(within(attempt.claim, counts, 2), store.Exhausted, s.name+", "+usedUp)
				p.unchanged(c.Key, before, "after a claim "+s.name+", "+usedUp)
			}
		}
	}

	counts = p.spentTwice()
	c := within(p.request(), counts, 2)
	p.claim(c, store.Exhausted, usedUp)
	p.reset(counts, "of a budget")
	p.claim(c, store.Claimed, "with a budget whose counts were reset")
	counts = p.spentTwice()
	c = within(p.request(), counts, 2)
	p.Advance(age)
	p.claim(c, store.Claimed, "with a budget whose window is over")
}

func checkBudgetFound(p *probe) {
	for _, s := range situations() {
		c := s.put(p)
		counts := p.spentTwice()
		before := p.get(c.Key, s.name)
		for _, attempt := range []struct {
			claim   store.Claim
			verdict store.ClaimStatus
		}{{rival(c), s.verdict}, {rerun(rival(c)), s.rerun}, {other(rival(c)), store.Conflicting}} {
			if attempt.verdict != store.Claimed {
				p.claim(within(attempt.claim, counts, 2), attempt.verdict, s.name+", "+usedUp)
				p.unchanged(c.Key, before, "after a claim "+s.name+", "+usedUp)
			}
		}
		if s.holds {
			p.claim(within(c, counts, 2), store.Claimed, "by the owner "+s.name+", "+usedUp)
			p.holds(c, "after a claim by the owner "+s.name+", "+usedUp)
		}
	}
}

// checkBudgetAtomic lets a record be free no sooner than the budget is used up: whoever claims has to hear that
// it is held, or that the budget is used up.
func checkBudgetAtomic(p *probe) {
	for range rounds {
		held, counts := p.unstarted(), p.key()
		p.claim(within(rival(held), counts, 1), store.Running, "on a record in progress, with a budget")
		answers := contend(p, "Claim, Add and Release", func(i int) (store.ClaimResult, error) {
			if i != contenders/2 {
				return p.Store.Claim(p.ctx, within(rival(held), counts, 1))
			}
			if _, err := p.Store.Add(p.ctx, counts, wrongCode, retention); err != nil {
				return store.ClaimResult{}, err
			}
			err := p.Store.Release(p.ctx, held.Key, held.Owner)
			return store.ClaimResult{Status: store.Exhausted}, err
		})
		for _, a := range answers {
			if a.Status != store.Running && a.Status != store.Exhausted {
				p.fail("Claim, on a record that is released when the budget is used up: the verdict is %q", a.Status)
			}
		}
		p.claim(within(rival(held), counts, 1), store.Exhausted, "on a record that was released, "+usedUp)
		p.absent(held.Key, "after claims whose budget was used up")
	}
}

func checkForget(p *probe) {
	for _, end := range []struct {
		when string
		make func(c store.Claim) store.Completion
	}{
		{"with Completed", func(c store.Claim) store.Completion {
			return outcome(c, store.Completed, theResult)
		}},
		{"with Failed", func(c store.Claim) store.Completion { return outcome(c, store.Failed, nil) }},
		{"with Unknown", func(c store.Claim) store.Completion { return outcome(c, store.Unknown, nil) }},
		{"with no retention", func(c store.Claim) store.Completion {
			removed := outcome(c, store.Completed, nil)
			removed.Retention = 0
			return removed
		}},
	} {
		c, counts, beside := p.started(), p.spentTwice(), p.spentTwice()
		done := end.make(c)
		done.Forget = counts
		wrong := done
		wrong.Owner = store.NewOwner()
		p.complete(wrong, store.ErrLost, end.when+" by a stranger")
		p.max(counts, 2, "after a completion "+end.when+" by a stranger")
		p.complete(done, nil, end.when+" by the owner")
		p.max(counts, 0, "after a completion "+end.when+" that forgets them")
		p.max(beside, 2, "after a completion "+end.when+" that forgets others")
		p.add(counts, refused, retention, 1, "after a completion "+end.when)
		if done.State == store.Unknown {
			continue // what is unknown can be completed again
		}
		want := error(nil)
		if done.Retention == 0 {
			want = store.ErrLost
		}
		p.complete(done, want, end.when+" again")
		p.max(counts, 1, "after the repetition of a completion "+end.when)
	}
	c, counts := p.started(), p.spentTwice()
	p.complete(outcome(c, store.Completed, nil), nil, "by the owner")
	p.max(counts, 2, "after a completion that forgets nothing")
}
