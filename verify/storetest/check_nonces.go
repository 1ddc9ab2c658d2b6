package storetest

import "github.com/toolcontract/toolcontract/store"

func checkNonce(t *runner) {
	n := t.nonce()
	first := t.owner()
	second := t.owner()
	longer := n
	longer.TTL = 3 * age
	t.run(spending(n, first), spending(n, first), spending(n, second))
	for range 4 {
		t.advance(lapse)
		t.run(spending(n, second), spending(longer, first), spending(longer, second))
	}
	t.advance(lapse)
	t.advance(lapse)
	t.run(spending(n, second), spending(n, first), spending(n, second))
}

func checkNonceClaim(t *runner) {
	claims := func(c store.Claim) []store.Claim {
		own := c
		rival := t.rival(c)
		return []store.Claim{own, rival, rerun(own), rerun(rival), other(rival)}
	}
	for i := range claims(t.request()) {
		for _, spent := range []bool{false, true} {
			t.each(func(c store.Claim) {
				n := t.nonce()
				if spent {
					t.run(spending(n, t.owner()))
				}
				v := with(claims(c)[i], n)
				t.run(claiming(v), spending(n, t.owner()), spending(n, v.Owner))
			})
		}
	}

	t.begin()
	n := t.nonce()
	c := t.request()
	t.run(claiming(with(c, n)), claiming(with(c, n)), spending(n, c.Owner))
	again := t.request()
	again.Owner = c.Owner
	t.run(claiming(with(again, n)), claiming(with(t.request(), n)))
	beyond := n
	beyond.TTL = 3 * age
	t.run(claiming(with(c, beyond)))
	t.advance(age)
	t.run(claiming(with(t.request(), n)))

	t.begin()
	n = t.nonce()
	owner := t.owner()
	t.run(spending(n, owner))
	c = t.request()
	c.Owner = owner
	t.run(claiming(with(c, n)))

	for _, put := range situations() { // a record and its nonce are taken over together
		for _, by := range []func(c store.Claim) store.Owner{
			func(c store.Claim) store.Owner { return c.Owner },
			func(store.Claim) store.Owner { return t.owner() },
		} {
			t.begin()
			c := put(t)
			n := t.nonce()
			t.run(spending(n, by(c)))
			t.advance(slack)
			next := rerun(with(t.rival(c), n))
			t.run(claiming(next), spending(n, c.Owner), spending(n, next.Owner), claiming(with(t.request(), n)))
			t.advance(retention - lapse - slack)
			t.run(spending(n, t.owner()))
			t.advance(lapse)
			t.run(spending(n, t.owner()))
		}
	}

	for _, end := range []func(c store.Claim) step{ // whatever becomes of the record
		func(c store.Claim) step { return releasing(c.Key, c.Owner) },
		func(c store.Claim) step { return completing(outcome(c, store.Completed)) },
		func(c store.Claim) step {
			removed := outcome(c, store.Completed)
			removed.Retention = 0
			return completing(removed)
		},
		func(c store.Claim) step { t.advance(lapse); return claiming(t.rival(c)) },
	} {
		t.begin()
		c := with(t.request(), t.nonce())
		t.run(claiming(c))
		t.run(end(c))
		t.run(spending(c.Nonce, t.owner()), claiming(with(t.request(), c.Nonce)), spending(c.Nonce, c.Owner))
	}
}

func checkNonceReturned(t *runner) {
	for _, put := range situations() {
		for _, spender := range []func(c store.Claim) store.Owner{
			func(c store.Claim) store.Owner { return c.Owner },
			func(store.Claim) store.Owner { return t.owner() },
		} {
			t.begin()
			c := put(t)
			n := t.nonce()
			by := spender(c)
			t.run(spending(n, by), spending(t.nonce(), by))
			t.run(returning(store.Release{Key: c.Key, Owner: t.owner(), Nonce: n.Key}))
			t.run(returning(store.Release{Key: c.Key, Owner: c.Owner, Nonce: n.Key}))
			next := with(t.request(), n)
			t.run(claiming(next), spending(n, by), spending(n, next.Owner))
		}
	}
	t.begin() // the claim's own nonce, and another one of the same owner
	c := with(t.request(), t.nonce())
	kept := t.nonce()
	t.run(claiming(c), spending(kept, c.Owner), returning(store.Release{Key: c.Key, Owner: c.Owner, Nonce: c.Nonce.Key}))
	t.run(spending(kept, t.owner()), claiming(t.rival(c)), spending(c.Nonce, c.Owner))
}
