package storetest

import (
	"context"

	"github.com/toolcontract/toolcontract/contract/store"
)

func checkSpendSingle(p *probe) {
	for range rounds {
		n := p.nonce()
		owners := make([]store.Owner, contenders)
		for i := range owners {
			owners[i] = store.NewOwner()
		}
		spent := contend(p, "Spend", func(i int) (bool, error) { return p.Store.Spend(p.ctx, n, owners[i]) })
		winners := 0
		for i, ok := range spent {
			if ok {
				winners++
			}
			p.spend(n, owners[i], ok, "again")
		}
		if winners != 1 {
			p.fail("%d owners at once: %d spend the nonce", contenders, winners)
		}
		p.spend(n, store.NewOwner(), false, "by another owner, later")
	}
}

func checkSpendRepeated(p *probe) {
	n, owner := p.nonce(), store.NewOwner()
	p.spend(n, owner, true, "a new nonce")
	p.spend(n, owner, true, "again by the same owner")
	p.spend(n, store.NewOwner(), false, "by another owner")
	p.Advance(4 * lapse)
	longer := n
	longer.TTL = 3 * age
	p.spend(longer, owner, true, "again by the same owner, with a longer TTL")
	p.spend(longer, store.NewOwner(), false, "by another owner, with a longer TTL")
	p.Advance(2 * lapse)
	p.spend(n, store.NewOwner(), true, "when the first TTL is over")
}

func checkSpendRemembered(p *probe) {
	n, owner := p.nonce(), store.NewOwner()
	p.spend(n, owner, true, "a new nonce")
	for range 4 {
		p.Advance(lapse)
		p.spend(n, store.NewOwner(), false, "by another owner, within the TTL")
	}
	p.Advance(age)
	next := store.NewOwner()
	p.spend(n, next, true, "by another owner, when the TTL is over")
	p.spend(n, owner, false, "by the first owner, when another has spent it since")
	p.spend(n, next, true, "again by the second owner")
}

func checkSpendEdges(p *probe) {
	n := p.nonce()
	p.spend(n, store.NewOwner(), true, "a new nonce")
	p.Advance(n.TTL - tick)
	p.spend(n, store.NewOwner(), false, "a tick before the end of its TTL")
	p.Advance(tick)
	p.spend(n, store.NewOwner(), true, "at the end of its TTL")
}

func checkSpendApart(p *probe) {
	c := p.unstarted()
	n := store.Nonce{Key: c.Key, TTL: retention}
	p.spend(n, store.NewOwner(), true, "a new nonce with the key of a record")
	p.holds(c, "after Spend of a nonce with its key")
	p.release(c, nil, "by the owner")
	p.spend(n, store.NewOwner(), false, "after the release of a record with its key")
	spent := store.Nonce{Key: p.key(), TTL: retention}
	p.spend(spent, store.NewOwner(), true, "a new nonce")
	p.absent(spent.Key, "with the key of a nonce")
	next := p.request()
	next.Key = spent.Key
	p.claim(next, store.Claimed, "with the key of a nonce")
}

func checkSpendClaim(p *probe) {
	c := with(p.request(), p.nonce())
	p.claim(c, store.Claimed, "with a new nonce")
	p.spend(c.Nonce, store.NewOwner(), false, "by another owner, when a claim has spent it")
	p.spend(c.Nonce, c.Owner, true, "by the owner of the claim that has spent it")

	n, owner := p.nonce(), store.NewOwner()
	p.spend(n, owner, true, "a new nonce")
	thief := with(p.request(), n)
	p.claim(thief, store.NonceSpent, "with a nonce that another has spent")
	p.absent(thief.Key, "after a claim with a nonce that another has spent")
	p.claim(by(with(p.request(), n), owner), store.Claimed, "by who has spent the nonce")

	unspent := with(rival(c), p.nonce())
	p.claim(unspent, store.Running, "with a new nonce, on a record in progress")
	p.spend(unspent.Nonce, store.NewOwner(), true, "when the claim that had it was not claimed")
}

func checkSpendPartitions(p *probe) {
	n := p.nonce()
	p.spend(n, store.NewOwner(), true, "a new nonce")
	sameID := n
	sameID.Key.Partition = p.keyOf("alice", "").Partition
	for _, other := range []store.Nonce{sameID, p.nonce()} {
		p.spend(other, store.NewOwner(), true, "a nonce whose key differs in one part")
	}
}

func checkSpendFull(p *probe) {
	n, owner := p.nonce(), store.NewOwner()
	p.spend(n, owner, true, "a new nonce")
	p.fill()
	for range contenders {
		p.enter("Spend")
		_, err := p.Store.Spend(p.ctx, p.nonce(), owner)
		p.wantErr(err, store.ErrFull, "a new nonce, when the store is full")
	}
	p.spend(n, store.NewOwner(), false, "by another owner, when the store is full")
	p.spend(n, owner, true, "again by the same owner, when the store is full")
}

func checkSpendInvalid(p *probe) {
	n, owner := p.nonce(), store.NewOwner()
	for _, wrong := range []struct {
		what  string
		nonce store.Nonce
		owner store.Owner
	}{
		{"without a nonce", store.Nonce{}, owner},
		{"without a key", store.Nonce{TTL: lease}, owner},
		{"without a TTL", store.Nonce{Key: n.Key}, owner},
		{"with a negative TTL", store.Nonce{Key: n.Key, TTL: -lease}, owner},
		{"without an owner", n, store.Owner{}},
	} {
		p.enter("Spend")
		spent, err := p.Store.Spend(p.ctx, wrong.nonce, wrong.owner)
		p.wantErr(err, store.ErrInvalid, wrong.what)
		if spent {
			p.fail("Spend, %s: true beside an error", wrong.what)
		}
	}
	p.spend(n, store.NewOwner(), true, "after invalid requests")
}

func checkSpendCancelled(p *probe) {
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	n := p.nonce()
	p.enter("Spend")
	if spent, err := p.Store.Spend(ctx, n, store.NewOwner()); err == nil || spent {
		p.fail("Spend with a context that is done: no error, or true")
	}
	p.spend(n, store.NewOwner(), true, "after a Spend whose context was done")
}

func checkSpendDeadline(p *probe) {
	n := p.nonce()
	promised := false
	p.hangs([]call{{"Spend", func(ctx context.Context) error {
		spent, err := p.Store.Spend(ctx, n, store.NewOwner())
		promised = err == nil && spent
		return err
	}}})
	if promised {
		p.spend(n, store.NewOwner(), false, "by another owner, of a nonce that was spent while the storage hung")
	}
	p.spend(p.nonce(), store.NewOwner(), true, "when the storage works again")
}
