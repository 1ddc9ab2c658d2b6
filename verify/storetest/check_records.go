package storetest

import (
	"bytes"
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/store"
)

// variants returns the claim with every combination of same or other owner,
// Rerun, Start, and same or other fingerprint.
func (t *runner) variants(c store.Claim) []store.Claim {
	c.Start = false
	all := []store.Claim{c, t.rival(c)}
	for _, change := range []func(store.Claim) store.Claim{rerun, start, other} {
		for _, v := range all {
			all = append(all, change(v))
		}
	}
	return all
}

func checkClaim(t *runner) {
	for i := range t.variants(t.request()) {
		t.each(func(c store.Claim) {
			v := t.variants(c)[i]
			t.run(claiming(v), claiming(v), claiming(t.rival(v)), claiming(other(v)))
		})
		t.begin()
		v := t.variants(t.request())[i]
		t.run(claiming(v), claiming(t.rival(v)))
	}
	c := completed(t)
	t.advance(lapse)
	t.run(claiming(t.rival(c)))
}

func checkClaimRepeated(t *runner) {
	for _, put := range []situation{unstarted, started, lapsed, abandoned} {
		t.begin()
		c := put(t)
		t.run(claiming(c), claiming(t.rival(c)))
		t.advance(slack)
		t.run(claiming(c), claiming(t.rival(c)))
		longer, shorter := c, c
		longer.Lease, longer.Retention = 5*lease, 2*retention
		shorter.Lease, shorter.Retention = lease/2, 2*lease
		t.run(claiming(longer), claiming(shorter), claiming(c))
		t.advance(lapse)
		t.run(claiming(c), claiming(t.rival(c)))
	}
}

func checkStarted(t *runner) {
	c := unstarted(t)
	t.run(marking(c.Key, c.Owner), marking(c.Key, c.Owner))
	c.Start = false
	t.run(claiming(c), renewing(c.Key, c.Owner, lease))
	t.advance(lapse)
	t.run(claiming(t.rival(c)), claiming(c))

	for _, put := range []situation{abandoned, unknown} { // taken over without a new start
		t.begin()
		c := rerun(t.rival(put(t)))
		c.Start = false
		t.run(claiming(c))
		t.advance(lapse)
		next := t.rival(c)
		next.Rerun = false
		t.run(claiming(next))
	}
	t.begin() // an expired record leaves nothing to the next one
	c = started(t)
	t.run(releasing(c.Key, c.Owner))
	c.Start = false
	t.run(claiming(c))
}

// updates returns every change that a claim's owner can make.
func updates(c store.Claim) []step {
	removed := outcome(c, store.Completed)
	removed.Retention = 0
	return []step{
		marking(c.Key, c.Owner),
		renewing(c.Key, c.Owner, 3*lease),
		renewing(c.Key, c.Owner, lease/2),
		completing(outcome(c, store.Completed)),
		completing(outcome(c, store.Failed)),
		completing(outcome(c, store.Unknown)),
		completing(removed),
		releasing(c.Key, c.Owner),
	}
}

// owners have every kind of byte that storage could treat specially.
var owners = []store.Owner{
	{0: 1}, {15: 1}, {7: 1}, {15: ' '}, {0: '\'', 1: '\\', 2: '"', 3: '\r', 4: '\n', 5: 0x1a},
	store.Owner(bytes.Repeat([]byte{0xff}, 16)), store.Owner(bytes.Repeat([]byte{0xc0, 0x80}, 8)),
}

func checkOwner(t *runner) {
	for _, owner := range owners {
		t.begin()
		c := start(t.request())
		c.Owner = owner
		t.run(claiming(c), completing(outcome(t.rival(c), store.Unknown)), completing(outcome(c, store.Unknown)))
	}
	t.each(func(c store.Claim) { t.run(updates(t.rival(c))...) })
	for i := range updates(t.request()) {
		t.each(func(c store.Claim) {
			t.run(updates(c)[i])
			t.run(claiming(t.rival(c)))
		})
	}
	for _, put := range []situation{lapsed, abandoned, unknown} {
		t.begin()
		former := put(t)
		successor := rerun(t.rival(former))
		t.run(claiming(successor))
		t.run(updates(former)...)
		t.run(completing(outcome(successor, store.Completed)))
		t.run(updates(former)...)
	}
	t.begin()
	t.run(updates(t.request())...)
}

func checkLease(t *runner) {
	for _, put := range []situation{unstarted, started} {
		t.begin()
		c := put(t)
		t.advance(lapse)
		t.run(getting(c.Key))
		t.run(renewing(c.Key, c.Owner, 5*lease), claiming(t.rival(c)))
		t.advance(lapse)
		t.run(claiming(t.rival(c)), renewing(c.Key, c.Owner, lease))
		t.advance(lapse)
		t.run(claiming(rerun(t.rival(c))), renewing(c.Key, c.Owner, lease))
	}
	t.begin()
	short := t.request()
	short.Retention = 2 * lease
	t.run(claiming(short), renewing(short.Key, short.Owner, age))
	t.advance(2 * lapse)
	t.run(claiming(t.rival(short)), completing(outcome(short, store.Completed)))
	t.begin()
	long := started(t)
	t.run(renewing(long.Key, long.Owner, lease))
}

func checkLate(t *runner) {
	for _, put := range []situation{lapsed, abandoned, unknown} {
		for _, state := range []store.RecordState{store.Completed, store.Failed, store.Unknown} {
			t.begin()
			c := put(t)
			t.run(completing(outcome(c, state)), claiming(t.rival(c)))
			if state == store.Unknown {
				none := outcome(c, state)
				none.Result = nil
				t.run(completing(none), completing(outcome(c, store.Completed)), claiming(t.rival(c)))
			}
		}
	}
}

func checkReplaces(t *runner) {
	for _, change := range []func(store.Claim) store.Claim{func(c store.Claim) store.Claim { return c }, other, start} {
		t.each(func(former store.Claim) {
			c := change(t.rival(former))
			t.run(claiming(replacing(c, t.owner())), claiming(replacing(c, former.Owner)))
		})
		for _, put := range []situation{unknown, failed, completed} {
			t.begin()
			former := put(t)
			c := replacing(change(t.rival(former)), former.Owner)
			t.run(claiming(c), claiming(t.rival(c)), claiming(t.rival(former)))
			t.run(updates(former)...)
			t.advance(lapse)
			t.run(claiming(t.rival(former)), claiming(other(t.rival(former))))
		}
	}
	for _, put := range []situation{failed, unknown, givenUp} {
		t.begin()
		former := put(t)
		t.race(contend(func(int) []step { return []step{claiming(replacing(other(t.rival(former)), former.Owner))} })...)
	}
}

func checkFirstOutcome(t *runner) {
	for _, put := range []situation{completed, failed} {
		t.begin()
		c := put(t)
		for _, state := range []store.RecordState{store.Completed, store.Failed, store.Unknown} {
			for _, d := range []time.Duration{retention, 2 * retention, lease, 0} {
				again := outcome(c, state)
				again.Retention = d
				again.Result = []byte("another")
				t.run(completing(again))
			}
		}
		t.advance(lapse)
		t.run(completing(outcome(c, store.Completed)))
	}
}

func checkResults(rt *rapid.T, t *runner) {
	known := rapid.SampledFrom([][]byte{
		nil, {}, []byte("0"), []byte("null"), []byte("false"), []byte("nil"), []byte(`""`), []byte(" "), []byte("\r\n"),
		{0}, []byte("a\x00b"), {0xff, 0xc0, 0x80}, bytes.Repeat([]byte("result\xff"), 3_000),
	})
	c := started(t)
	done := outcome(c, rapid.SampledFrom([]store.RecordState{store.Completed, store.Failed, store.Unknown}).Draw(rt, "state"))
	done.Result = rapid.OneOf(known, rapid.SliceOfN(rapid.Byte(), 1, 300)).Draw(rt, "result")
	given := bytes.Clone(done.Result)
	done.Result = given
	t.run(completing(done), claiming(t.rival(c)))
	clear(given) // the store must not keep a caller's slice
	t.run(getting(c.Key))
	for _, s := range []step{getting(c.Key), claiming(t.rival(c))} {
		r := s.do(t.ctx, t.Store)
		clear(r.record.Result)
		clear(r.claim.Result)
		t.run(getting(c.Key), claiming(t.rival(c)))
	}
}

func checkRetention(t *runner) {
	t.each(func(c store.Claim) {
		t.advance(age)
		t.run(getting(c.Key), resolving(c.Key, store.Happened))
		t.run(updates(c)...)
		t.run(claiming(other(t.rival(c))))
	})
	for _, put := range situations() { // without a step that looks first
		t.begin()
		c := put(t)
		t.advance(age)
		t.run(claiming(other(c)))
	}
	for _, state := range []store.RecordState{store.Completed, store.Failed, store.Unknown} {
		for _, d := range []time.Duration{3 * age, lease} {
			t.begin()
			c := started(t)
			done := outcome(c, state)
			done.Retention = d
			t.run(completing(done))
			t.advance(d - slack)
			t.run(getting(c.Key))
			t.advance(lapse)
			t.run(getting(c.Key), claiming(t.rival(c)))
		}
		for _, d := range []time.Duration{0, -tick, -lease, math.MinInt64} {
			t.begin()
			c := started(t)
			done := outcome(c, state)
			done.Retention = d
			t.run(completing(done), completing(done), claiming(other(t.rival(c))))
		}
	}
}

func checkRelease(t *runner) {
	t.each(func(c store.Claim) {
		t.run(releasing(c.Key, c.Owner), releasing(c.Key, c.Owner), claiming(other(t.rival(c))))
	})
}

func checkResolve(t *runner) {
	for _, f := range []store.Settlement{store.Happened, store.DidNotHappen} {
		t.each(func(c store.Claim) {
			t.run(resolving(c.Key, f), claiming(c))
			t.run(resolving(c.Key, store.DidNotHappen), claiming(t.rival(c)))
		})
		for _, put := range []situation{abandoned, unknown} {
			t.begin()
			c := put(t)
			t.run(resolving(c.Key, f))
			t.run(updates(c)...)
		}
		t.begin()
		t.run(resolving(t.key(), f))
		c := abandoned(t)
		t.run(renewing(c.Key, c.Owner, lease), resolving(c.Key, f))
	}
}
