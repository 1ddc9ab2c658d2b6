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

// A runner runs steps on the store and on the model and compares the replies.
// Its keys and owners are different from every other runner's. Its methods end
// the check with a report if the store violates a rule; call them on the
// check's own goroutine.
type runner struct {
	Harness
	ctx   context.Context
	model *model
	// unseen means that the runner does not look at the record after each step.
	unseen bool
	// dropped means that the store may have dropped results.
	dropped bool

	space   [24]byte // the prefix of every key
	numbers uint64
	steps   []any                   // the lines of the report
	during  *atomic.Pointer[string] // what is running now
	failure atomic.Pointer[error]
	// fail ends the check; see [runner.end].
	fail func(format string, args ...any)
}

// newRunner returns a runner for a check's goroutine.
func newRunner(ctx context.Context, h Harness) *runner {
	t := &runner{
		Harness: h, ctx: ctx, model: newModel(), during: &atomic.Pointer[string]{},
	}
	t.fail = t.end
	t.enter("the harness")
	rand.Read(t.space[:]) // never fails
	return t
}

// end keeps the failure and ends the check's goroutine.
func (t *runner) end(format string, args ...any) {
	failure := mistake(format, args...)
	t.failure.Store(&failure)
	runtime.Goexit()
}

// enter notes what is running now, for the report of a panic or a hanging call.
func (t *runner) enter(what string) { t.during.Store(&what) }

// digest returns a digest that no other runner has and no other call returns.
// It does not end with a zero byte: which rules such owners break would depend
// on the winner of a race.
func (t *runner) digest() (d store.Digest) {
	t.numbers++
	if byte(t.numbers) == 0 {
		t.numbers++
	}
	copy(d[:], t.space[:])
	binary.BigEndian.PutUint64(d[len(t.space):], t.numbers)
	return d
}

// key returns a new key. All of a runner's keys have the same partition.
func (t *runner) key() store.Key {
	return store.Key{Partition: store.Fingerprint(t.space[:]), ID: t.digest()}
}

func (t *runner) owner() store.Owner {
	d := t.digest()
	return store.Owner(d[len(d)-len(store.Owner{}):])
}

// arguments is the fingerprint of every claim except those of [other].
var arguments = store.Fingerprint([]byte("{}"))

// request returns a claim with a new key and a new owner.
func (t *runner) request() store.Claim {
	return store.Claim{
		Key: t.key(), Owner: t.owner(), Fingerprint: arguments, Lease: lease, Retention: retention,
	}
}

func (t *runner) nonce() store.Nonce { return store.Nonce{Key: t.key(), TTL: retention} }

// rival returns the claim with a new owner.
func (t *runner) rival(c store.Claim) store.Claim {
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

func withBudget(c store.Claim, counts store.Key, limit int64) store.Claim {
	c.Budget = store.Budget{Key: counts, Limit: limit}
	return c
}

func outcome(c store.Claim, state store.RecordState) store.Completion {
	return store.Completion{Key: c.Key, Owner: c.Owner, State: state, Result: []byte("the result of hunter2"), Retention: retention}
}

// broken ends the check with a report of the steps so far.
func (t *runner) broken(format string, args ...any) {
	var report strings.Builder
	fmt.Fprintf(&report, format, args...)
	for _, line := range t.steps {
		fmt.Fprintf(&report, "\n\t%v", line)
	}
	t.fail("%s", &report)
}

func (t *runner) note(line any) { t.steps = append(t.steps, line) }

// begin starts a scenario with new keys: it forgets the report and the records
// so far.
func (t *runner) begin() {
	now := t.model.now
	t.model = newModel()
	t.steps = nil
	t.model.now = now
}

// A pause is the line in the report for time passing.
type pause time.Duration

func (d pause) String() string { return "time passes: " + time.Duration(d).String() }

// advance moves the clock of both the store and the model.
func (t *runner) advance(d time.Duration) {
	t.note(pause(d))
	t.Advance(d)
	t.model.advance(d)
}

// run runs steps one after another and compares the replies with the model's,
// and then the record and the counts that each step may have changed.
func (t *runner) run(steps ...step) {
	for _, s := range steps {
		want := s.do(t.ctx, t.model)
		t.compare(s, t.perform(t.ctx, s), want)
		t.look(s)
	}
}

// perform runs a step on the store.
func (t *runner) perform(ctx context.Context, s step) reply {
	t.note(s)
	t.enter(s.operation)
	return s.do(ctx, t.Store)
}

func (t *runner) compare(s step, got, want reply) {
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
func (t *runner) look(s step) {
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

// expectRefused runs steps on the store that must change nothing and return an
// error that wraps want, or any error if want is nil.
func (t *runner) expectRefused(ctx context.Context, want error, steps ...step) {
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
