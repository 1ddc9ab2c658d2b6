package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// aWhile is how long an operation waits for storage that hangs.
const aWhile = 50 * time.Millisecond

// A call is one operation with its arguments. It returns only its error.
type call struct {
	name string
	do   func(ctx context.Context) error
}

// calls returns every change that the owner of a claim can make, and Get.
func (p *probe) calls(c store.Claim) []call {
	done := outcome(c, store.Completed, theResult)
	removed := done
	removed.Retention = 0
	return []call{
		{"Claim", func(ctx context.Context) error { _, err := p.Store.Claim(ctx, rerun(c)); return err }},
		{"Mark", func(ctx context.Context) error { return p.Store.Mark(ctx, c.Key, c.Owner) }},
		{"Renew", func(ctx context.Context) error { return p.Store.Renew(ctx, c.Key, c.Owner, 3*lease) }},
		{"Complete", func(ctx context.Context) error { return p.Store.Complete(ctx, done) }},
		{"Complete", func(ctx context.Context) error { return p.Store.Complete(ctx, removed) }},
		{"Release", func(ctx context.Context) error { return p.Store.Release(ctx, c.Key, c.Owner) }},
		{"Resolve", func(ctx context.Context) error { return p.Store.Resolve(ctx, c.Key, store.DidNotHappen) }},
		{"Get", func(ctx context.Context) error { _, err := p.Store.Get(ctx, c.Key); return err }},
	}
}

func checkCancelled(p *probe) {
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	for _, put := range []func() store.Claim{p.unstarted, p.abandoned, p.unknown} {
		c := put()
		before := p.get(c.Key, "with a context that is not done")
		for _, call := range p.calls(c) {
			p.enter(call.name)
			if call.do(ctx) == nil {
				p.fail("%s with a context that is done: no error", call.name)
			}
			p.unchanged(c.Key, before, call.name+" with a context that is done")
		}
	}
	n := p.nonce()
	c := with(p.request(), n)
	p.enter("Claim")
	if _, err := p.Store.Claim(ctx, c); err == nil {
		p.fail("Claim with a context that is done: no error")
	}
	p.absent(c.Key, "after a claim with a context that is done")
	p.claim(with(p.request(), n), store.Claimed, "with the nonce of a claim whose context was done")
}

func checkDeadline(p *probe) {
	c := p.unstarted()
	fresh := p.request()
	promised := false
	p.hangs(append(p.calls(c), call{"Claim", func(ctx context.Context) error {
		a, err := p.Store.Claim(ctx, fresh)
		promised = err == nil && a.Status == store.Claimed
		return err
	}}))
	if promised && p.get(fresh.Key, "when the storage works again").Owner != fresh.Owner {
		p.fail("Claim while the storage hangs: claimed, of which the record knows nothing")
	}
	p.claim(p.request(), store.Claimed, "when the storage works again")
}

// hangs calls operations while the storage hangs, and wants that each returns. What an error leaves behind
// nobody knows.
func (p *probe) hangs(calls []call) {
	release := sync.OnceFunc(p.Hang())
	defer release()
	for _, call := range calls {
		p.enter(call.name + " while the storage hangs")
		ctx, cancel := context.WithTimeout(p.ctx, aWhile)
		_ = call.do(ctx)
		cancel()
	}
	release()
}
