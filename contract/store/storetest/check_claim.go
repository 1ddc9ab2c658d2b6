package storetest

import (
	"bytes"

	"github.com/toolcontract/toolcontract/contract/store"
)

// rounds is how often a race is run.
const rounds = 8

func checkClaimAtomic(p *probe) {
	for _, race := range []struct {
		when string
		put  func() store.Claim
	}{
		{"on a new key", p.request},
		{"on a record whose lease is over before the start", p.lapsed},
		{"with Rerun on an abandoned record", func() store.Claim { return rerun(p.abandoned()) }},
	} {
		for range rounds {
			c := race.put()
			owners := make([]store.Owner, contenders)
			answers := contend(p, "Claim", func(i int) (store.ClaimResult, error) {
				own := rival(c)
				owners[i] = own.Owner
				return p.Store.Claim(p.ctx, own)
			})
			claimed := 0
			for i, a := range answers {
				switch a.Status {
				case store.Claimed:
					claimed++
					if p.get(c.Key, "after the race").Owner != owners[i] {
						p.fail("%d claims at once %s: the record is not that of who claimed it", contenders, race.when)
					}
				case store.Running:
				default:
					p.fail("%d claims at once %s: the verdict for one is %q", contenders, race.when, a.Status)
				}
			}
			if claimed != 1 {
				p.fail("%d claims at once %s: %d are claimed", contenders, race.when, claimed)
			}
		}
	}
}

func checkConcurrent(p *probe) {
	const each = 5
	var claims [contenders][each]store.Claim
	for i := range claims {
		for k := range claims[i] {
			claims[i][k] = p.request()
		}
	}
	results := contend(p, "Claim, Mark, Renew, Complete and Get", func(i int) ([]byte, error) {
		var kept []byte
		for k, c := range claims[i] {
			if _, err := p.Store.Claim(p.ctx, c); err != nil {
				return nil, err
			}
			if err := p.Store.Mark(p.ctx, c.Key, c.Owner); err != nil {
				return nil, err
			}
			if err := p.Store.Renew(p.ctx, c.Key, c.Owner, lease); err != nil {
				return nil, err
			}
			err := p.Store.Complete(p.ctx, outcome(c, store.Completed, []byte{byte(i), byte(k)}))
			if err != nil {
				return nil, err
			}
			r, err := p.Store.Get(p.ctx, c.Key)
			if err != nil {
				return nil, err
			}
			kept = append(kept, r.Result...)
		}
		return kept, nil
	})
	for i, kept := range results {
		var want []byte
		for k := range each {
			want = append(want, byte(i), byte(k))
		}
		if !bytes.Equal(want, kept) {
			p.fail("the results of %d goroutines with a key each are not those that each gave", contenders)
		}
	}
}

func checkRunning(p *probe) {
	for _, s := range situations() {
		if s.verdict != store.Running {
			continue
		}
		c := s.put(p)
		before := p.get(c.Key, s.name)
		for _, attempt := range []store.Claim{rival(c), rerun(rival(c))} {
			a := p.claim(attempt, store.Running, s.name)
			p.discloses(a, store.ClaimResult{Status: store.Running, LeaseLeft: lease}, s.name)
			p.unchanged(c.Key, before, "after a claim "+s.name)
		}
	}
}

// discloses wants that an answer is just what it is to be.
func (p *probe) discloses(got, want store.ClaimResult, when string) {
	switch {
	case got.State != want.State:
		p.fail("Claim, %s: the state of the answer is %v instead of %v", when, got.State, want.State)
	case !sameResult(got.Result, want.Result):
		p.fail("Claim, %s: the result of the answer is not what it is to be", when)
	case want.LeaseLeft == 0 && got.LeaseLeft != 0, want.LeaseLeft != 0 && !p.near(got.LeaseLeft, want.LeaseLeft):
		p.fail("Claim, %s: what is left of the lease is %v instead of %v", when, got.LeaseLeft, want.LeaseLeft)
	}
}

func checkLapsed(p *probe) {
	for _, start := range []bool{false, true} {
		c := p.lapsed()
		next := rival(c)
		next.Start = start
		p.discloses(p.claim(next, store.Claimed, "on a record whose lease is over before the start"),
			store.ClaimResult{}, "on a record whose lease is over before the start")
		p.holds(next, "after a claim on a record whose lease is over")
		p.claim(rival(c), store.Running, "on a record that was taken over")
	}
}

// holds wants that the record is as a claim on no record leaves it.
func (p *probe) holds(c store.Claim, when string) {
	p.unchanged(c.Key, store.Record{
		State: store.InProgress, Owner: c.Owner, Started: c.Start, Fingerprint: c.Fingerprint,
		LeaseLeft: c.Lease, ExpiresIn: c.Retention,
	}, when)
}

func checkAbandoned(p *probe) {
	for _, s := range situations() {
		if !s.abandoned {
			continue
		}
		c := s.put(p)
		before := p.get(c.Key, s.name)
		if !before.IsAbandoned() {
			p.fail("Get, %s: the record does not show that it is abandoned", s.name)
		}
		attempts := []store.Claim{rival(c)}
		if s.doubt {
			attempts = append(attempts, c)
		}
		for _, attempt := range attempts {
			for _, start := range []bool{false, true} {
				attempt.Start = start
				p.discloses(p.claim(attempt, store.Abandoned, s.name), store.ClaimResult{}, s.name)
				p.unchanged(c.Key, before, "after a claim "+s.name)
			}
		}
	}
}

func checkRerun(p *probe) {
	for _, s := range situations() {
		c := s.put(p)
		before := p.get(c.Key, s.name)
		next := rerun(rival(c))
		next.Start = true
		p.claim(next, s.rerun, s.name+", with Rerun")
		if s.rerun == store.Claimed {
			p.holds(next, "after a claim with Rerun "+s.name)
			p.claim(rerun(rival(c)), store.Running, "with Rerun on a record that was taken over")
		} else {
			p.unchanged(c.Key, before, "after a claim with Rerun "+s.name)
		}
	}
	// What was taken over without a new start is still one whose end is unknown.
	taken := rerun(rival(p.unknown()))
	taken.Start = false
	p.claim(taken, store.Claimed, "with Rerun and without Start on a record of unknown outcome")
	p.Advance(lapse)
	next := rival(taken)
	next.Rerun = false
	p.claim(next, store.Abandoned, "on a record that was taken over, when the lease is over")

	c := rerun(p.unknown())
	p.claim(c, store.Claimed, "with Rerun by the owner of a record of unknown outcome")
	p.claim(rival(c), store.Running, "on a record that its owner took over")
	p.claim(rerun(p.request()), store.Claimed, "with Rerun on a new key")
}

func checkFinished(p *probe) {
	for _, f := range []struct {
		when  string
		put   func() store.Claim
		state store.State
		want  []byte
	}{
		{"on a completed record", p.completed, store.Completed, theResult},
		{"on a failed record", p.failed, store.Failed, theResult},
		{"on a resolved record", p.resolved, store.Completed, nil},
	} {
		c := f.put()
		before := p.get(c.Key, f.when)
		started := rival(c)
		started.Start = true
		for _, attempt := range []store.Claim{c, rival(c), started, rerun(rival(c))} {
			a := p.claim(attempt, store.Finished, f.when)
			p.discloses(a, store.ClaimResult{State: f.state, Result: f.want}, f.when)
			p.unchanged(c.Key, before, "after a claim "+f.when)
		}
		p.Advance(lapse)
		p.claim(rival(c), store.Finished, f.when+", later")
	}
}

func checkConflict(p *probe) {
	for _, s := range situations() {
		c := s.put(p)
		before := p.get(c.Key, s.name)
		started := other(c)
		started.Start = true
		for _, attempt := range []store.Claim{other(c), started, other(rival(c)), rerun(other(rival(c)))} {
			when := s.name + ", with another fingerprint"
			p.discloses(p.claim(attempt, store.Conflicting, when), store.ClaimResult{}, when)
			p.unchanged(c.Key, before, "after a claim "+when)
		}
	}
}

func checkClaimRepeated(p *probe) {
	c := p.unstarted()
	for _, when := range []string{"repeated at once", "repeated again"} {
		p.discloses(p.claim(c, store.Claimed, when), store.ClaimResult{}, when)
		p.holds(c, "after a claim "+when)
	}
	p.Advance(slack)
	p.claim(c, store.Claimed, "repeated after half its lease")
	p.holds(c, "after a claim repeated after half its lease")
	for _, put := range []func() store.Claim{p.lapsed, p.abandoned} {
		c := put()
		p.claim(c, store.Claimed, "repeated when the lease is over")
		p.holds(c, "after a claim repeated when the lease is over")
		p.claim(rival(c), store.Running, "on a record whose owner repeated its claim")
	}
	longer := p.started()
	longer.Lease, longer.Retention = 5*lease, 2*retention
	p.claim(longer, store.Claimed, "repeated with a longer lease")
	p.holds(longer, "after a claim repeated with a longer lease")
	p.Advance(lapse)
	p.claim(rival(longer), store.Running, "on a record whose owner repeated its claim with a longer lease")
}

func checkStarted(p *probe) {
	const when = "on a record that was marked, when the lease is over"
	marked := p.unstarted()
	p.mark(marked, nil, "by the owner")
	if !p.get(marked.Key, "after Mark").Started {
		p.fail("Get, after Mark: the record is not started")
	}
	p.mark(marked, nil, "again")
	p.Advance(lapse)
	p.claim(rival(marked), store.Abandoned, when)

	late := p.lapsed()
	p.mark(late, nil, "by the owner when the lease is over")
	p.claim(rival(late), store.Abandoned, when)

	// The repetition of a claim says less than a mark that came before it.
	for _, put := range []func() store.Claim{p.started, func() store.Claim {
		c := p.unstarted()
		p.mark(c, nil, "by the owner")
		return c
	}} {
		c := put()
		c.Start = false
		p.claim(c, store.Claimed, "repeated without Start")
		if !p.get(c.Key, "after a claim repeated without Start").Started {
			p.fail("Get, after a claim repeated without Start: the record is no longer started")
		}
		p.renew(c, lease, nil, "by the owner")
		p.Advance(lapse)
		p.claim(rival(c), store.Abandoned, "on a started record, when the lease is over")
	}

	c := p.unstarted()
	c.Start = true
	p.claim(c, store.Claimed, "repeated with Start")
	p.Advance(lapse)
	p.claim(rival(c), store.Abandoned, "on a record that the second claim started, when the lease is over")
}
