package storetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

const (
	wrongCode = "wrong code"
	refused   = "refused"
)

func (p *probe) add(key store.Key, kind string, window time.Duration, want int64, when string) {
	p.enter("Add")
	n, err := p.Store.Add(p.ctx, key, kind, window)
	p.wantErr(err, nil, when)
	if n != want {
		p.fail("Add, %s: %d instead of %d", when, n, want)
	}
}

func (p *probe) max(key store.Key, want int64, when string) {
	p.enter("Max")
	n, err := p.Store.Max(p.ctx, key)
	p.wantErr(err, nil, when)
	if n != want {
		p.fail("Max, %s: %d instead of %d", when, n, want)
	}
}

func (p *probe) reset(key store.Key, when string) {
	p.enter("Reset")
	p.wantErr(p.Store.Reset(p.ctx, key), nil, when)
}

func checkAddAtomic(p *probe) {
	for range rounds {
		key := p.key()
		counts := contend(p, "Add", func(int) (int64, error) {
			return p.Store.Add(p.ctx, key, wrongCode, retention)
		})
		slices.Sort(counts)
		for i, n := range counts {
			if n != int64(i+1) {
				p.fail("%d additions at once do not return each of 1 to %d once", contenders, contenders)
			}
		}
		p.max(key, contenders, "after as many additions")
	}
}

func checkKinds(p *probe) {
	// Names that a store could use for itself, and such that differ little.
	kinds := []string{
		wrongCode, refused, "", " ", "max", "end", "ends", "window", "expires", "expiry", "until", "total", "count", "n",
		"*", "0", "1", ":", "a:b", "a", "b", "a\x00b", "A", "\xff", "{", "}", "é", "e\u0301", strings.Repeat("k", 300),
		strings.Repeat("k", 301),
	}
	key := p.key()
	for round := range int64(2) {
		for _, kind := range kinds {
			p.add(key, kind, retention, round+1, "of one kind among others")
		}
		p.max(key, round+1, "when each kind was counted as often")
	}
}

func checkCounterKeys(p *probe) {
	key := p.key()
	p.add(key, wrongCode, retention, 1, "with a new key")
	sameID := store.Key{Partition: p.keyOf("alice", "").Partition, ID: key.ID}
	for _, other := range []store.Key{sameID, p.key()} {
		p.max(other, 0, "with a key that differs in one part")
		p.add(other, wrongCode, retention, 1, "with a key that differs in one part")
		p.reset(other, "with a key that differs in one part")
	}
	p.add(key, wrongCode, retention, 2, "beside other keys")
}

func checkMax(p *probe) {
	key := p.key()
	p.max(key, 0, "with a new key")
	p.max(key, 0, "again")
	p.add(key, wrongCode, retention, 1, "with a new key")
	p.max(key, 1, "after one addition")
	p.add(key, refused, retention, 1, "of another kind")
	p.max(key, 1, "after one addition of two kinds each")
	p.add(key, refused, retention, 2, "of another kind")
	p.add(key, refused, retention, 3, "of another kind")
	p.max(key, 3, "after three additions of a kind and one of another")
	p.add(key, wrongCode, retention, 2, "of the first kind")
	p.max(key, 3, "after three additions of a kind and two of another")
}

func checkWindow(p *probe) {
	key := p.key()
	p.add(key, wrongCode, retention, 1, "with a new key")
	p.Advance(2 * lapse)
	p.add(key, wrongCode, 3*age, 2, "with a longer window")
	p.add(key, refused, retention, 1, "of another kind, within the window")
	p.add(key, refused, lease, 2, "with a shorter window")
	p.Advance(2 * lapse)
	p.max(key, 2, "within the first window")
	p.add(key, refused, retention, 3, "within the first window")
	p.Advance(2 * lapse)
	p.max(key, 0, "when the first window is over")
	p.add(key, refused, retention, 1, "when the first window is over")
	p.add(key, wrongCode, retention, 1, "when the first window is over")
	p.Advance(4 * lapse)
	p.max(key, 1, "within the second window")
	p.Advance(2 * lapse)
	p.add(key, wrongCode, retention, 1, "when the second window is over")
}

func checkWindowEdges(p *probe) {
	key := p.key()
	p.add(key, wrongCode, retention, 1, "with a new key")
	p.Advance(retention - tick)
	p.max(key, 1, "a tick before the end of the window")
	p.add(key, wrongCode, retention, 2, "a tick before the end of the window")
	p.Advance(tick)
	p.max(key, 0, "at the end of the window")
	p.add(key, wrongCode, retention, 1, "at the end of the window")
	p.Advance(retention)
	p.add(key, wrongCode, retention, 1, "at the end of the next window")
}

func checkReset(p *probe) {
	key, beside := p.key(), p.key()
	p.reset(key, "with a new key")
	p.add(beside, wrongCode, retention, 1, "with a new key")
	p.add(key, wrongCode, retention, 1, "with a new key")
	p.add(key, refused, retention, 1, "of another kind")
	p.reset(key, "after two additions")
	p.max(key, 0, "after Reset")
	p.max(beside, 1, "after Reset of another key")
	p.reset(key, "again")
	p.Advance(3 * lapse)
	p.add(key, wrongCode, retention, 1, "after Reset")
	p.add(key, refused, retention, 1, "of another kind, after Reset")
	p.Advance(3 * lapse)
	p.max(key, 1, "within the window that began after Reset")
}

func checkCountsApartFromRecords(p *probe) {
	c := p.unstarted()
	p.add(c.Key, wrongCode, retention, 1, "with the key of a record")
	p.holds(c, "after an addition with its key")
	p.reset(c.Key, "with the key of a record")
	p.holds(c, "after Reset with its key")
	p.add(c.Key, wrongCode, retention, 1, "with the key of a record")
	p.release(c, nil, "by the owner")
	p.max(c.Key, 1, "after the release of a record with its key")
	counted := p.request()
	p.add(counted.Key, wrongCode, retention, 1, "with a new key")
	p.absent(counted.Key, "with the key of counts")
	p.claim(counted, store.Claimed, "with the key of counts")
	p.max(counted.Key, 1, "after a claim with its key")
}

func checkCountsApartFromNonces(p *probe) {
	n, owner := p.nonce(), store.NewOwner()
	p.add(n.Key, wrongCode, retention, 1, "with a new key")
	p.spend(n, owner, true, "a new nonce with the key of counts")
	p.max(n.Key, 1, "after Spend of a nonce with its key")
	p.add(n.Key, wrongCode, retention, 2, "with the key of a nonce")
	p.reset(n.Key, "with the key of a nonce")
	p.spend(n, store.NewOwner(), false, "by another owner, after Reset with its key")
	p.spend(n, owner, true, "again, after Reset with its key")
}

func checkCounterInvalid(p *probe) {
	key := p.key()
	for _, call := range []call{
		{"Add without a key", func(ctx context.Context) error {
			_, err := p.Store.Add(ctx, store.Key{}, wrongCode, lease)
			return err
		}},
		{"Add without a window", func(ctx context.Context) error {
			_, err := p.Store.Add(ctx, key, wrongCode, 0)
			return err
		}},
		{"Add with a negative window", func(ctx context.Context) error {
			_, err := p.Store.Add(ctx, key, wrongCode, -lease)
			return err
		}},
		{"Max without a key", func(ctx context.Context) error { _, err := p.Store.Max(ctx, store.Key{}); return err }},
		{"Reset without a key", func(ctx context.Context) error { return p.Store.Reset(ctx, store.Key{}) }},
	} {
		p.enter(call.name)
		p.wantErr(call.do(p.ctx), store.ErrInvalid, "the request is invalid")
		p.max(key, 0, "after "+call.name)
	}
}

// counterCalls returns every operation on a key.
func (p *probe) counterCalls(key store.Key) []call {
	return []call{
		{"Add", func(ctx context.Context) error { _, err := p.Store.Add(ctx, key, wrongCode, retention); return err }},
		{"Max", func(ctx context.Context) error { _, err := p.Store.Max(ctx, key); return err }},
		{"Reset", func(ctx context.Context) error { return p.Store.Reset(ctx, key) }},
	}
}

func checkCounterCancelled(p *probe) {
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	key := p.key()
	p.add(key, wrongCode, retention, 1, "with a new key")
	for _, call := range p.counterCalls(key) {
		p.enter(call.name)
		if call.do(ctx) == nil {
			p.fail("%s with a context that is done: no error", call.name)
		}
		p.max(key, 1, "after "+call.name+" with a context that is done")
	}
}

func checkCounterDeadline(p *probe) {
	p.hangs(p.counterCalls(p.key()))
	p.add(p.key(), wrongCode, retention, 1, "when the storage works again")
}
