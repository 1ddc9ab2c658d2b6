package storetest

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A trial runs steps on the store and on the model and compares the replies. It
// uses keys and owners that no other trial has. Its methods end the check with
// a report if the store violates a rule; they are for the goroutine of the
// check.
type trial struct {
	Harness
	ctx   context.Context
	model *model
	// unseen means that the trial does not look at the record after each step.
	unseen bool
	// dropped means that the store may have dropped results.
	dropped bool

	space   [24]byte // begins every key
	numbers uint64
	steps   []any                   // lines of the report
	during  *atomic.Pointer[string] // what runs now
	failure atomic.Pointer[error]
	// fail ends the check; see [trial.end].
	fail func(format string, args ...any)
}

// newTrial returns a trial for the goroutine of a check.
func newTrial(ctx context.Context, h Harness) *trial {
	t := &trial{
		Harness: h, ctx: ctx, model: newModel(), during: &atomic.Pointer[string]{},
	}
	t.fail = t.end
	t.enter("the harness")
	rand.Read(t.space[:]) // never fails
	return t
}

// end keeps the failure and ends the goroutine of the check.
func (t *trial) end(format string, args ...any) {
	failure := mistake(format, args...)
	t.failure.Store(&failure)
	runtime.Goexit()
}

// enter notes what runs now, for the report of a panic or a hanging call.
func (t *trial) enter(what string) { t.during.Store(&what) }

// digest returns a digest that no other trial has and no other call returns.
func (t *trial) digest() (d store.Digest) {
	t.numbers++
	copy(d[:], t.space[:])
	binary.BigEndian.PutUint64(d[len(t.space):], t.numbers)
	return d
}

// key returns a new key. All keys of a trial have the same partition.
func (t *trial) key() store.Key {
	return store.Key{Partition: store.Fingerprint(t.space[:]), ID: t.digest()}
}

// owner returns a new owner.
func (t *trial) owner() store.Owner {
	d := t.digest()
	return store.Owner(d[len(d)-len(store.Owner{}):])
}

// arguments is the fingerprint of all claims but those of [other].
var arguments = store.Fingerprint([]byte("{}"))

// request returns a claim with a new key and a new owner.
func (t *trial) request() store.Claim {
	return store.Claim{
		Key: t.key(), Owner: t.owner(), Fingerprint: arguments, Lease: lease, Retention: retention,
	}
}

// nonce returns a new nonce.
func (t *trial) nonce() store.Nonce { return store.Nonce{Key: t.key(), TTL: retention} }

// rival returns the claim with a new owner.
func (t *trial) rival(c store.Claim) store.Claim {
	c.Owner = t.owner()
	return c
}

func rerun(c store.Claim) store.Claim {
	c.Rerun = true
	return c
}

func start(c store.Claim) store.Claim {
	c.Start = true
	return c
}

// other returns the claim with another fingerprint.
func other(c store.Claim) store.Claim {
	c.Fingerprint = store.Fingerprint([]byte("[]"))
	return c
}

// replacing returns the claim with the owner of the record that it replaces.
func replacing(c store.Claim, owner store.Owner) store.Claim {
	c.Replaces = owner
	return c
}

func with(c store.Claim, n store.Nonce) store.Claim {
	c.Nonce = n
	return c
}

func within(c store.Claim, counts store.Key, limit int64) store.Claim {
	c.Budget = store.Budget{Key: counts, Limit: limit}
	return c
}

func outcome(c store.Claim, state store.RecordState) store.Completion {
	return store.Completion{Key: c.Key, Owner: c.Owner, State: state, Result: []byte("the result of hunter2"), Retention: retention}
}

// broken ends the check with a report of the steps so far.
func (t *trial) broken(format string, args ...any) {
	var report strings.Builder
	fmt.Fprintf(&report, format, args...)
	for _, line := range t.steps {
		fmt.Fprintf(&report, "\n\t%v", line)
	}
	t.fail("%s", &report)
}

// note adds a line to the report.
func (t *trial) note(line any) { t.steps = append(t.steps, line) }

// begin begins a scenario with new keys: it forgets the report and the records
// so far.
func (t *trial) begin() {
	now := t.model.now
	t.model = newModel()
	t.steps = nil
	t.model.now = now
}

// A pause is the line of the report when time passes.
type pause time.Duration

func (d pause) String() string { return "time passes: " + time.Duration(d).String() }

// advance moves the clock of the store and of the model.
func (t *trial) advance(d time.Duration) {
	t.note(pause(d))
	t.Advance(d)
	t.model.advance(d)
}

// run runs steps one after the other, compares the replies with those of the
// model, and then the record and the counts that each may have changed.
func (t *trial) run(steps ...step) {
	for _, s := range steps {
		want := s.do(t.ctx, t.model)
		t.compare(s, t.perform(t.ctx, s), want)
		t.look(s)
	}
}

// perform runs a step on the store.
func (t *trial) perform(ctx context.Context, s step) reply {
	t.note(s)
	t.enter(s.operation)
	return s.do(ctx, t.Store)
}

func (t *trial) compare(s step, got, want reply) {
	if t.dropped {
		want.claim.Result, want.record.Result = ifKept(got.claim.Result, want.claim.Result),
			ifKept(got.record.Result, want.record.Result)
	}
	if message := got.differs(want, t.Harness); message != "" {
		t.broken("%s: %s", s.operation, message)
	}
}

func ifKept(got, want []byte) []byte {
	if got == nil {
		return nil
	}
	return want
}

// look compares what a step may have changed.
func (t *trial) look(s step) {
	if t.unseen {
		return
	}
	var looks []step
	if !s.record.IsZero() {
		looks = append(looks, getting(s.record))
	}
	if !s.counts.IsZero() {
		looks = append(looks, highest(s.counts))
	}
	for _, l := range looks {
		t.enter(l.operation)
		got, want := l.do(t.ctx, t.Store), l.do(t.ctx, t.model)
		if t.dropped {
			want.record.Result = ifKept(got.record.Result, want.record.Result)
		}
		if message := got.differs(want, t.Harness); message != "" {
			t.broken("after %s: %s", s.operation, message)
		}
	}
}

// refused runs steps on the store that change nothing and return an error that
// wraps want, or any error if want is nil.
func (t *trial) refused(ctx context.Context, want error, steps ...step) {
	for _, s := range steps {
		got := t.perform(ctx, s)
		if got.err == nil {
			t.broken("%s: there is no error", s.operation)
		}
		expected := reply{err: want}
		if want == nil {
			expected.err = got.err
		}
		t.compare(s, got, expected)
		t.look(s)
	}
}
