package storetest

import (
	"github.com/toolcontract/toolcontract/contract/store"
)

func checkPartitions(p *probe) {
	a := p.completed()
	sameID, samePartition := p.request(), p.request()
	sameID.Key = store.Key{Partition: p.keyOf("alice", "").Partition, ID: a.Key.ID}
	before := p.get(a.Key, "of a completed record")
	for _, c := range []store.Claim{sameID, samePartition} {
		const when = "with a key that differs in one part"
		p.absent(c.Key, when)
		p.claim(c, store.Claimed, when)
		p.holds(c, "after a claim "+when)
		p.unchanged(a.Key, before, "after a claim "+when)
		p.release(c, nil, when)
		p.unchanged(a.Key, before, "after a release "+when)
	}
}

func checkRecord(p *probe) {
	p.absent(p.key(), "with a new key")
	for _, start := range []bool{false, true} {
		c := p.request()
		c.Start = start
		p.claim(c, store.Claimed, "with a new key")
		p.absent(p.key(), "with a new key, beside a record")
		p.holds(c, "after a claim")
	}
	for _, state := range []store.State{store.Completed, store.Failed, store.Unknown} {
		c := p.started()
		done := outcome(c, state, nil)
		if state.IsFinished() {
			done.Result = theResult
		}
		p.complete(done, nil, "by the owner")
		p.unchanged(c.Key, store.Record{
			State: state, Owner: c.Owner, Started: true, Fingerprint: c.Fingerprint,
			Result: done.Result, ExpiresIn: retention,
		}, "after Complete")
	}
}

func checkOwner(p *probe) {
	for _, s := range situations() {
		c := s.put(p)
		p.holdsNothing(rival(c), "by a stranger "+s.name)
		if s.rerun != store.Claimed {
			continue
		}
		successor := rival(c)
		successor.Start = true
		p.claim(rerun(successor), store.Claimed, s.name+", with Rerun")
		p.holdsNothing(c, "by the former owner "+s.name+" that was taken over")
		p.complete(outcome(successor, store.Completed, theResult), nil, "by the successor")
		p.holdsNothing(c, "by the former owner "+s.name+" that the successor completed")
	}
	none := p.request()
	p.holdsNothing(none, "on no record")
	p.absent(none.Key, "after changes of no record")
}

// holdsNothing wants that the owner of a claim can change nothing.
func (p *probe) holdsNothing(c store.Claim, when string) {
	before := p.get(c.Key, when)
	now := outcome(c, store.Completed, nil)
	now.Retention = 0
	for _, change := range []func(){
		func() { p.mark(c, store.ErrLost, when) },
		func() { p.renew(c, 3*lease, store.ErrLost, when) },
		func() { p.complete(outcome(c, store.Failed, []byte("forged")), store.ErrLost, when) },
		func() { p.complete(outcome(c, store.Unknown, nil), store.ErrLost, when) },
		func() { p.complete(now, store.ErrLost, when) },
		func() { p.release(c, store.ErrLost, when) },
	} {
		change()
		p.unchanged(c.Key, before, p.operation()+" "+when)
	}
}

func checkState(p *probe) {
	for _, s := range situations() {
		if s.holds {
			continue
		}
		c := s.put(p)
		before := p.get(c.Key, s.name)
		when := "by the owner " + s.name
		p.mark(c, store.ErrLost, when)
		p.unchanged(c.Key, before, "Mark "+when)
		p.renew(c, 3*lease, store.ErrLost, when)
		p.unchanged(c.Key, before, "Renew "+when)
		if !s.doubt {
			p.release(c, store.ErrLost, when)
			p.unchanged(c.Key, before, "Release "+when)
		}
	}
	resolved := p.resolved()
	before := p.get(resolved.Key, "of a resolved record")
	p.complete(outcome(resolved, store.Failed, theResult), store.ErrLost, "by the owner on a resolved record")
	p.unchanged(resolved.Key, before, "Complete by the owner on a resolved record")
}

func checkLate(p *probe) {
	for _, s := range situations() {
		if !s.doubt && (!s.holds || s.verdict == store.Running) {
			continue
		}
		for _, state := range []store.State{store.Completed, store.Failed} {
			c := s.put(p)
			p.complete(outcome(c, state, theResult), nil, "late, by the owner "+s.name)
			r := p.get(c.Key, "after a late Complete")
			if r.State != state || !sameResult(r.Result, theResult) || r.Owner != c.Owner {
				p.fail("Get, after a late Complete %s: the outcome is not on record", s.name)
			}
			p.claim(rival(c), store.Finished, "after a late Complete "+s.name)
		}
		c := s.put(p)
		p.complete(outcome(c, store.Unknown, nil), nil, "late with Unknown, by the owner "+s.name)
		p.claim(rival(c), store.Abandoned, "after a late Complete with Unknown "+s.name)
	}
}

func checkFirstOutcome(p *probe) {
	for _, put := range []func() store.Claim{p.completed, p.failed} {
		c := put()
		before := p.get(c.Key, "of a finished record")
		second := outcome(c, store.Completed, []byte("another"))
		longer, shorter, never := second, second, second
		longer.Retention, shorter.Retention, never.Retention = 2*retention, lease, 0
		for _, again := range []store.Completion{
			outcome(c, store.Completed, theResult),
			second, longer, shorter, never,
			outcome(c, store.Failed, nil),
			outcome(c, store.Unknown, nil),
		} {
			p.complete(again, nil, "again, by the owner")
			p.unchanged(c.Key, before, "after a second Complete")
		}
		p.Advance(lapse)
		p.complete(second, nil, "again and late, by the owner")
		if !same(before, p.get(c.Key, "after a second, late Complete")) {
			p.fail("after a second, late Complete: the record has changed")
		}
	}
}

func checkRelease(p *probe) {
	for _, s := range situations() {
		if !s.holds && !s.doubt {
			continue
		}
		c := s.put(p)
		p.release(c, nil, "by the owner "+s.name)
		p.absent(c.Key, "after Release")
		p.release(c, store.ErrLost, "again")
		next := other(rival(c))
		p.claim(next, store.Claimed, "after Release, with another fingerprint")
		p.holds(next, "after Release and a claim")
	}
}
