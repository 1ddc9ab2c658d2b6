package storetest

import (
	"math"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

func checkLeaseRetention(p *probe) {
	for _, put := range []func() store.Claim{p.unstarted, p.started} {
		c := put()
		before := p.get(c.Key, "while the lease lasts")
		p.Advance(lapse)
		after := p.get(c.Key, "when the lease is over")
		if !same(before, after) {
			p.fail("Get, when the lease is over: the record has changed or is gone")
		}
		if after.LeaseLeft > 0 {
			p.fail("Get, when the lease is over: there is something left of it")
		}
		if !p.near(after.ExpiresIn, before.ExpiresIn-lapse) {
			p.fail("Get, when the lease is over: the retention is not what is left of it")
		}
	}
}

func checkRenewal(p *probe) {
	c := p.unstarted()
	p.renew(c, 5*lease, nil, "by the owner")
	if left := p.get(c.Key, "after Renew").LeaseLeft; !p.near(left, 5*lease) {
		p.fail("Get, after Renew: what is left of the lease is %v instead of %v", left, 5*lease)
	}
	p.Advance(lapse)
	p.claim(rival(c), store.Running, "on a record that was renewed")
	p.renew(c, lease, nil, "with a shorter lease than is left")
	p.Advance(lapse)
	next := rival(c)
	p.claim(next, store.Claimed, "when the renewed lease is over")
	p.renew(c, lease, store.ErrLost, "when another has claimed the record")

	for _, put := range []func() store.Claim{p.lapsed, p.abandoned} {
		c := put()
		p.renew(c, 5*lease, nil, "by the owner, when the lease is over")
		p.claim(rival(c), store.Running, "on a record that was renewed late")
		if r := p.get(c.Key, "after a late Renew"); r.Started != c.Start || r.Owner != c.Owner {
			p.fail("Get, after a late Renew: the record is not what it was")
		}
	}
}

func checkRenewalRetention(p *probe) {
	short := p.request()
	short.Retention = 2 * lease
	p.claim(short, store.Claimed, "with a new key")
	p.renew(short, age, nil, "beyond the retention")
	if left := p.get(short.Key, "after Renew").ExpiresIn; !p.near(left, age) {
		p.fail("Get, after a renewal of %v: the record exists for %v", age, left)
	}
	p.Advance(2 * lapse)
	p.claim(rival(short), store.Running, "when the first retention is over, on a record that was renewed")
	p.complete(outcome(short, store.Completed, theResult), nil, "when the first retention is over")

	long := p.started()
	p.renew(long, lease, nil, "within the retention")
	if left := p.get(long.Key, "after Renew").ExpiresIn; !p.near(left, retention) {
		p.fail("Get, after a renewal of %v: the record exists for %v instead of %v", lease, left, retention)
	}
}

func checkEdges(p *probe) {
	for _, edge := range []struct {
		what string
		put  func() store.Claim
		ends time.Duration
		// before and after are what a claim gets a tick before the end, and at it.
		before, after store.ClaimStatus
	}{
		{"the lease", p.unstarted, lease, store.Running, store.Claimed},
		{"the lease of a started record", p.started, lease, store.Running, store.Abandoned},
		{"the lease of a renewal", func() store.Claim {
			c := p.started()
			p.Advance(tick)
			p.renew(c, lapse, nil, "by the owner")
			return c
		}, lapse, store.Running, store.Abandoned},
		{"the lease of a repeated claim", func() store.Claim {
			c := p.started()
			p.Advance(tick)
			p.claim(c, store.Claimed, "repeated")
			return c
		}, lease, store.Running, store.Abandoned},
		{"the retention", p.started, retention, store.Abandoned, store.Claimed},
		{"the retention that a renewal moved", func() store.Claim {
			c := p.started()
			p.renew(c, age, nil, "by the owner")
			return c
		}, age, store.Running, store.Claimed},
		{"the retention of a completion", func() store.Claim {
			c := p.started()
			p.Advance(tick)
			p.complete(outcome(c, store.Completed, nil), nil, "by the owner")
			return c
		}, retention, store.Finished, store.Claimed},
		{"the retention of an unknown outcome", p.unknown, retention, store.Abandoned, store.Claimed},
		{"the retention of a resolved record", p.resolved, retention, store.Finished, store.Claimed},
	} {
		c := edge.put()
		p.Advance(edge.ends - tick)
		p.claim(rival(c), edge.before, "a tick before the end of "+edge.what)
		if r := p.get(c.Key, "a tick before the end"); r.LeaseLeft != tick && r.ExpiresIn != tick {
			p.fail("Get, a tick before the end of %s: what is left is not a tick", edge.what)
		}
		p.Advance(tick)
		if edge.ends >= retention {
			p.absent(c.Key, "at the end of "+edge.what)
		}
		p.claim(rival(c), edge.after, "at the end of "+edge.what)
	}
}

func checkExpiry(p *probe) {
	for _, s := range situations() {
		c := s.put(p)
		p.Advance(age)
		p.absent(c.Key, "when the retention is over, "+s.name)
		p.holdsNothing(c, "when the retention is over, by the owner "+s.name)
		p.resolve(c.Key, store.Happened, store.ErrNotFound, "when the retention is over, "+s.name)
		next := other(rival(c))
		p.claim(next, store.Claimed, "when the retention is over, with another fingerprint, "+s.name)
		p.holds(next, "after a claim when the retention was over, "+s.name)
	}
	// The next life of a key begins by a claim, without anything that looks first.
	c := p.completed()
	p.Advance(age)
	c.Start = false
	p.claim(c, store.Claimed, "when the retention is over, by the owner of before")
	p.holds(c, "after a claim when the retention was over, by the owner of before")
}

func checkCompletionRetention(p *probe) {
	for _, state := range []store.State{store.Completed, store.Failed, store.Unknown} {
		c := p.started()
		longer := outcome(c, state, nil)
		longer.Retention = 3 * age
		p.complete(longer, nil, "by the owner, with a longer retention")
		p.Advance(age)
		if r := p.get(c.Key, "when the first retention is over"); r.State != state || !p.near(r.ExpiresIn, 2*age) {
			p.fail("Get, after Complete with a longer retention: the record is %v and exists for %v", r.State, r.ExpiresIn)
		}

		c = p.started()
		shorter := outcome(c, state, nil)
		shorter.Retention = lease
		p.complete(shorter, nil, "by the owner, with a shorter retention")
		if left := p.get(c.Key, "after Complete").ExpiresIn; !p.near(left, lease) {
			p.fail("Get, after Complete with a shorter retention: the record exists for %v instead of %v", left, lease)
		}
		p.Advance(lapse)
		p.absent(c.Key, "when the shorter retention is over")

		for _, d := range []time.Duration{0, -tick, -lease, math.MinInt64} {
			c := p.started()
			now := outcome(c, state, nil)
			now.Retention = d
			p.complete(now, nil, "by the owner, with no retention")
			p.absent(c.Key, "after Complete with no retention")
			p.complete(now, store.ErrLost, "again, with no retention")
			p.claim(other(rival(c)), store.Claimed, "after Complete with no retention")
		}
	}
}
