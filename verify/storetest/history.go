package storetest

import (
	"context"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/store"
)

// A history is a random sequence of steps by several owners on a few keys. Some
// steps are repeated, like those of clients that did not get the reply, and
// some have a context that is already done.
type history struct {
	*runner
	rt      *rapid.T
	records []store.Key
	nonces  []store.Key
	counts  []store.Key
	owners  []store.Owner
	last    *step
}

// operations are what the owners in a history do.
var operations = map[string]func(x *history) step{
	"claim":       func(x *history) step { return claiming(x.claim()) },
	"claim again": func(x *history) step { return claiming(x.claim()) },
	"mark":        func(x *history) step { return marking(x.held()) },
	"renew": func(x *history) step {
		key, owner := x.held()
		return renewing(key, owner, x.drawDuration("lease", 6))
	},
	"complete": func(x *history) step { return completing(x.completion()) },
	"release":  func(x *history) step { return returning(x.release()) },
	"resolve":  func(x *history) step { return resolving(x.one("record", x.records), x.finding()) },
	"spend":    func(x *history) step { return spending(x.nonce(), x.owner()) },
	"add":      func(x *history) step { return adding(x.one("counts", x.counts), x.kind(), x.drawDuration("window", 5)) },
	"reset":    func(x *history) step { return resetting(x.one("counts", x.counts)) },
}

func newHistory(rt *rapid.T, t *runner) *history {
	x := &history{runner: t, rt: rt}
	t.unseen = true
	for range 2 {
		x.records = append(x.records, t.key())
		x.nonces = append(x.nonces, t.key())
		x.counts = append(x.counts, t.key())
	}
	for range 4 {
		x.owners = append(x.owners, t.owner())
	}
	return x
}

func checkHistory(rt *rapid.T, t *runner) {
	x := newHistory(rt, t)
	actions := map[string]func(*rapid.T){
		"time passes": func(*rapid.T) { x.pass() },
		"repetition":  func(*rapid.T) { x.repeat() },
		"look":        func(*rapid.T) { x.see() },
	}
	for name, operation := range operations {
		actions[name] = func(*rapid.T) { x.take(operation(x)) }
	}
	rt.Repeat(actions)
	x.see()
}

// take runs a step, sometimes with a context that is already done.
func (x *history) take(s step) {
	x.last = &s
	if !x.chance("cancelled", 20) {
		x.run(s)
		return
	}
	ctx, cancel := context.WithCancel(x.ctx)
	cancel()
	x.expectRefused(ctx, nil, s)
}

func (x *history) repeat() {
	if x.last == nil {
		x.rt.Skip("there is no step")
	}
	x.run(*x.last)
}

// see compares all records and counts.
func (x *history) see() {
	for i := range x.records {
		x.run(getting(x.records[i]), highest(x.counts[i]))
	}
}

// pass lets time pass. With an exact clock, steps come one tick before an end
// and right at it. Otherwise every end is at least half an hour away from every
// step.
func (x *history) pass() { x.advance(x.pause()) }

func (x *history) pause() time.Duration {
	d := time.Duration(rapid.IntRange(1, 2).Draw(x.rt, "hours")) * time.Hour
	if x.Exact {
		d = rapid.SampledFrom([]time.Duration{d, d - tick, tick}).Draw(x.rt, "pause")
	}
	return d
}

// drawDuration draws a duration of up to n hours.
func (x *history) drawDuration(label string, n int) time.Duration {
	d := time.Duration(rapid.IntRange(1, n).Draw(x.rt, label)) * time.Hour
	if x.Exact {
		return d
	}
	return d + slack
}

// chance returns true once in n times.
func (x *history) chance(label string, n int) bool {
	return rapid.IntRange(1, n).Draw(x.rt, label) == n
}

func (x *history) one(label string, keys []store.Key) store.Key {
	return keys[rapid.IntRange(0, len(keys)-1).Draw(x.rt, label)]
}

func (x *history) owner() store.Owner {
	return x.owners[rapid.IntRange(0, len(x.owners)-1).Draw(x.rt, "owner")]
}

func (x *history) kind() string {
	return rapid.SampledFrom([]string{wrongCode, wrongCode, refused}).Draw(x.rt, "kind")
}

func (x *history) finding() store.Settlement {
	return rapid.SampledFrom([]store.Settlement{store.Happened, store.DidNotHappen}).Draw(x.rt, "finding")
}

func (x *history) nonce() store.Nonce {
	return store.Nonce{Key: x.one("nonce", x.nonces), TTL: x.drawDuration("TTL", 6)}
}

// held draws a record, and in most cases the owner that holds it.
func (x *history) held() (store.Key, store.Owner) {
	key := x.one("record", x.records)
	if r, exists := x.model.records[key]; exists && slices.Contains(x.owners, r.owner) && !x.chance("stranger", 4) {
		return key, r.owner
	}
	return key, x.owner()
}

func (x *history) release() store.Release {
	var r store.Release
	r.Key, r.Owner = x.held()
	if x.chance("returns nonce", 2) {
		r.Nonce = x.one("nonce", x.nonces)
	}
	return r
}

func (x *history) claim() store.Claim {
	c := store.Claim{Fingerprint: arguments, Lease: x.drawDuration("lease", 3)}
	c.Key = x.one("record", x.records)
	c.Owner = x.owner()
	c.Retention = c.Lease + time.Duration(rapid.IntRange(0, 4).Draw(x.rt, "retention"))*time.Hour
	c.Start = x.chance("start", 2)
	c.Rerun = x.chance("rerun", 3)
	if x.chance("other arguments", 10) {
		c = other(c)
	}
	if x.chance("replaces", 4) {
		_, c.Replaces = x.held()
	}
	if x.chance("with nonce", 3) {
		c.Nonce = x.nonce()
	}
	if x.chance("with budget", 3) {
		c = withBudget(c, x.one("counts", x.counts), int64(rapid.IntRange(1, 2).Draw(x.rt, "limit")))
	}
	return c
}

func (x *history) completion() store.Completion {
	key, owner := x.held()
	c := store.Completion{Key: key, Owner: owner, Retention: x.drawDuration("retention", 5)}
	c.State = rapid.SampledFrom([]store.RecordState{store.Completed, store.Failed, store.Unknown}).Draw(x.rt, "state")
	c.Result = rapid.SampledFrom([][]byte{nil, {}, []byte("null"), []byte("a"), []byte("b")}).Draw(x.rt, "result")
	if x.chance("removed", 6) {
		c.Retention = 0
	}
	if x.chance("forgets", 3) {
		c.Forget = x.one("counts", x.counts)
	}
	return c
}
