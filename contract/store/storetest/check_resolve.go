package storetest

import "github.com/toolcontract/toolcontract/contract/store"

func checkResolve(p *probe) {
	resolutions := []store.Finding{store.Happened, store.DidNotHappen}
	for _, r := range resolutions {
		none := p.key()
		p.resolve(none, r, store.ErrNotFound, "on no record")
		p.absent(none, "after Resolve")
		for _, s := range situations() {
			if s.abandoned {
				continue
			}
			c := s.put(p)
			before := p.get(c.Key, s.name)
			p.resolve(c.Key, r, store.ErrNotUnknown, s.name)
			p.unchanged(c.Key, before, "Resolve "+s.name)
		}
	}
	for _, s := range situations() {
		if s.abandoned {
			checkResolvedBothWays(p, s)
		}
	}
	// A lease that begins again is no doubt any more.
	c := p.abandoned()
	p.renew(c, lease, nil, "late, by the owner")
	p.resolve(c.Key, store.Happened, store.ErrNotUnknown, "on a record that was renewed late")
}

func checkResolvedBothWays(p *probe, s situation) {
	c := s.put(p)
	before := p.get(c.Key, s.name)
	p.resolve(c.Key, store.Happened, nil, s.name)
	after := p.get(c.Key, "after Resolve")
	switch {
	case after.State != store.Completed || after.Result != nil:
		p.fail("Get, after Resolve with Happened: the record is %v, or has a result", after.State)
	case !after.Owner.IsZero():
		p.fail("Get, after Resolve with Happened: the record has an owner")
	case after.Fingerprint != before.Fingerprint:
		p.fail("Get, after Resolve with Happened: the fingerprint has changed")
	case !p.near(after.ExpiresIn, before.ExpiresIn):
		p.fail("Get, after Resolve with Happened: the retention has changed from %v to %v", before.ExpiresIn, after.ExpiresIn)
	}
	p.holdsNothing(c, "by the owner, after Resolve with Happened")
	p.claim(rival(c), store.Finished, "after Resolve with Happened")
	p.claim(c, store.Finished, "by the owner, after Resolve with Happened")
	p.resolve(c.Key, store.DidNotHappen, store.ErrNotUnknown, "again")

	c = s.put(p)
	p.resolve(c.Key, store.DidNotHappen, nil, s.name)
	p.absent(c.Key, "after Resolve with DidNotHappen")
	p.holdsNothing(c, "by the owner, after Resolve with DidNotHappen")
	p.resolve(c.Key, store.DidNotHappen, store.ErrNotFound, "again")
	next := other(rival(c))
	p.claim(next, store.Claimed, "after Resolve with DidNotHappen")
	p.holds(next, "after Resolve with DidNotHappen and a claim")
}
