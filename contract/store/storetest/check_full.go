package storetest

import (
	"errors"

	"github.com/toolcontract/toolcontract/contract/store"
)

// fill fills the storage.
func (p *probe) fill() {
	p.enter("Full")
	if err := p.Full(p.ctx); err != nil {
		p.fail("the harness could not fill the storage: %v", err)
	}
}

func checkFull(p *probe) {
	n := p.nonce()
	held := with(p.request(), n)
	held.Start = true
	p.claim(held, store.Claimed, "with a new key")
	records := []struct {
		when    string
		claim   store.Claim
		verdict store.ClaimStatus
		before  store.Record
	}{
		{when: "in progress", claim: held, verdict: store.Running},
		{when: "of unknown outcome", claim: p.unknown(), verdict: store.Abandoned},
		{when: "that is completed", claim: p.completed(), verdict: store.Finished},
		{when: "that has failed", claim: p.failed(), verdict: store.Finished},
		{when: "that is resolved", claim: p.resolved(), verdict: store.Finished},
	}
	for i := range records {
		records[i].before = p.get(records[i].claim.Key, "before the store is full")
	}
	p.fill()
	for range contenders {
		c := p.request()
		p.enter("Claim")
		_, err := p.Store.Claim(p.ctx, c)
		p.wantErr(err, store.ErrFull, "when the store is full")
		p.absent(c.Key, "after a claim when the store is full")
	}
	for _, r := range records {
		after := p.get(r.claim.Key, "when the store is full")
		if after.Result == nil {
			after.Result = r.before.Result // it may be dropped
		}
		if !same(r.before, after) || !p.near(after.ExpiresIn, r.before.ExpiresIn) {
			p.fail("a record %s has changed or is gone, when the store is full", r.when)
		}
		p.claim(rival(r.claim), r.verdict, "on a record "+r.when+", when the store is full")
		p.claim(other(rival(r.claim)), store.Conflicting, "on a record "+r.when+", when the store is full")
	}
	// A nonce that is forgotten would be spent by the next claim that has room: by that of a record there is.
	p.Advance(lapse)
	p.enter("Claim")
	a, err := p.Store.Claim(p.ctx, rerun(with(rival(records[1].claim), n)))
	if errors.Is(err, store.ErrFull) {
		return
	}
	p.wantErr(err, nil, "on a record of unknown outcome, when the store is full")
	if a.Status != store.NonceSpent {
		p.fail("Claim, with a nonce that another spent before the store was full: the verdict is %q", a.Status)
	}
}
