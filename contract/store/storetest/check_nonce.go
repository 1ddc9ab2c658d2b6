package storetest

import "github.com/toolcontract/toolcontract/contract/store"

// with returns the claim with a nonce.
func with(c store.Claim, n store.Nonce) store.Claim {
	c.Nonce = n
	return c
}

func checkNonce(p *probe) {
	n := p.nonce()
	c := with(p.request(), n)
	p.claim(c, store.Claimed, "with a new nonce")
	p.claim(c, store.Claimed, "repeated with its nonce")
	p.claim(by(with(p.request(), n), c.Owner), store.Claimed, "on another key, by who spent the nonce")

	thief := with(p.request(), n)
	const when = "with a nonce that another has spent"
	p.discloses(p.claim(thief, store.NonceSpent, when), store.ClaimResult{}, when)
	p.absent(thief.Key, "after a claim "+when)
	for _, s := range situations() {
		taken := s.put(p)
		before := p.get(taken.Key, s.name)
		next := with(rival(taken), n)
		want := s.verdict
		if want == store.Claimed {
			want = store.NonceSpent
		}
		p.claim(next, want, s.name+", "+when)
		p.unchanged(taken.Key, before, "after a claim "+s.name+", "+when)
		want = s.rerun
		if want == store.Claimed {
			want = store.NonceSpent
		}
		p.claim(rerun(next), want, s.name+", with Rerun, "+when)
		p.unchanged(taken.Key, before, "after a claim with Rerun "+s.name+", "+when)
		if s.holds {
			p.claim(with(taken, n), store.NonceSpent, "by the owner "+s.name+", "+when)
			p.unchanged(taken.Key, before, "after a claim by the owner "+s.name+", "+when)
		}
		p.claim(with(other(rival(taken)), n), store.Conflicting, "with another fingerprint "+s.name+", "+when)
	}
	// Nonces and records are apart.
	same := p.request()
	p.claim(with(same, store.Nonce{Key: same.Key, TTL: retention}), store.Claimed, "with a nonce of the same key")
	p.holds(same, "after a claim with a nonce of the same key")
}

func checkNonceUnspent(p *probe) {
	for _, s := range situations() {
		c := s.put(p)
		n := p.nonce()
		if s.verdict != store.Claimed {
			p.claim(with(rival(c), n), s.verdict, s.name+", with a new nonce")
		}
		if s.rerun != store.Claimed {
			p.claim(with(rerun(rival(c)), n), s.rerun, s.name+", with Rerun and a new nonce")
		}
		p.claim(with(other(rival(c)), n), store.Conflicting, s.name+", with another fingerprint and a new nonce")
		p.claim(with(p.request(), n), store.Claimed, "with a nonce of a claim that was not claimed")
	}
}

func checkNonceAtomic(p *probe) {
	for range rounds {
		n := p.nonce()
		claims := make([]store.Claim, contenders)
		for i := range claims {
			claims[i] = with(p.request(), n)
		}
		answers := contend(p, "Claim", func(i int) (store.ClaimResult, error) { return p.Store.Claim(p.ctx, claims[i]) })
		claimed := 0
		for i, a := range answers {
			switch a.Status {
			case store.Claimed:
				claimed++
			case store.NonceSpent:
				p.absent(claims[i].Key, "after a claim with a nonce that another has spent")
			default:
				p.fail("%d claims at once with one nonce: the verdict for one is %q", contenders, a.Status)
			}
		}
		if claimed != 1 {
			p.fail("%d claims at once with one nonce: %d are claimed", contenders, claimed)
		}
	}
}

func checkNonceKept(p *probe) {
	for _, end := range []struct {
		when string
		end  func(c store.Claim)
	}{
		{"was released", func(c store.Claim) { p.release(c, nil, "by the owner") }},
		{"was completed", func(c store.Claim) {
			p.complete(outcome(c, store.Completed, nil), nil, "by the owner")
		}},
		{"was completed with no retention", func(c store.Claim) {
			done := outcome(c, store.Completed, nil)
			done.Retention = 0
			p.complete(done, nil, "by the owner")
		}},
		{"was resolved", func(c store.Claim) {
			p.complete(outcome(c, store.Unknown, nil), nil, "by the owner")
			p.resolve(c.Key, store.DidNotHappen, nil, "on a record of unknown outcome")
		}},
		{"was taken over", func(c store.Claim) {
			p.Advance(lapse)
			p.claim(rerun(with(rival(c), store.Nonce{})), store.Claimed, "with Rerun on an abandoned record")
		}},
		{"has expired", func(store.Claim) { p.Advance(age) }},
	} {
		n := p.nonce()
		n.TTL = 3 * age
		c := with(p.request(), n)
		c.Start = true
		p.claim(c, store.Claimed, "with a new nonce")
		end.end(c)
		p.claim(with(p.request(), n), store.NonceSpent, "with the nonce of a record that "+end.when)
	}

	n := p.nonce()
	c := with(p.request(), n)
	p.claim(c, store.Claimed, "with a new nonce")
	p.Advance(4 * lapse)
	c.Nonce.TTL = 3 * age
	p.claim(c, store.Claimed, "repeated with its nonce")
	p.claim(with(p.request(), n), store.NonceSpent, "with a nonce that another has spent, within its TTL")
	p.Advance(2 * lapse)
	p.claim(with(p.request(), n), store.Claimed, "with a nonce whose TTL is over, which a repetition did not lengthen")
	if p.Exact {
		n := p.nonce()
		p.claim(with(p.request(), n), store.Claimed, "with a new nonce")
		p.Advance(n.TTL - tick)
		p.claim(with(p.request(), n), store.NonceSpent, "with a nonce of another, a tick before the end of its TTL")
		p.Advance(tick)
		p.claim(with(p.request(), n), store.Claimed, "with a nonce of another, at the end of its TTL")
	}
}
