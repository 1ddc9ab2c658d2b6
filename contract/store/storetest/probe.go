package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// The durations of the suites. What must not be over yet has at least half an hour left, and what must be
// over has been for as long, so that no machine is too slow for them; all are whole milliseconds.
const (
	lease     = time.Hour
	lapse     = 2 * time.Hour // passes a lease, and no retention
	retention = 10 * time.Hour
	age       = 20 * time.Hour // passes a retention
	slack     = 30 * time.Minute
	tick      = time.Millisecond
)

// A probe is one check of one rule. Its methods end the check where the store does what it must not, as
// [testing.T.FailNow] does; they are for the goroutine of the check alone.
type probe struct {
	Harness
	ctx       context.Context
	namespace string
	keys      int
	failure   *RuleError
	during    atomic.Pointer[string]
}

func newProbe(ctx context.Context, h Harness) *probe {
	return &probe{Harness: h, ctx: ctx, namespace: rand.Text()}
}

// fail ends the check.
func (p *probe) fail(format string, args ...any) {
	p.failure = broken(format, args...)
	runtime.Goexit()
}

// enter notes which operation begins.
func (p *probe) enter(operation string) { p.during.Store(&operation) }

// operation names the last one that began.
func (p *probe) operation() string {
	if s := p.during.Load(); s != nil {
		return *s
	}
	return "the harness"
}

// key returns a key that is new, of one principal.
func (p *probe) key() store.Key {
	p.keys++
	return p.keyOf("bob", strconv.Itoa(p.keys))
}

func (p *probe) keyOf(principal, key string) store.Key {
	return store.Scope{Namespace: p.namespace, Principal: principal, Tool: "tool"}.Key(key)
}

// nonce returns a nonce that is new, of the principal of key.
func (p *probe) nonce() store.Nonce {
	return store.Nonce{Key: p.key(), TTL: retention}
}

// request returns a claim with a key and an owner that are new.
func (p *probe) request() store.Claim {
	return store.Claim{
		Key:         p.key(),
		Owner:       store.NewOwner(),
		Fingerprint: store.Fingerprint([]byte("{}")),
		Lease:       lease,
		Retention:   retention,
	}
}

// by returns the claim with another owner.
func by(c store.Claim, owner store.Owner) store.Claim {
	c.Owner = owner
	return c
}

// rival returns the same claim of somebody else.
func rival(c store.Claim) store.Claim { return by(c, store.NewOwner()) }

// rerun returns the claim with Rerun.
func rerun(c store.Claim) store.Claim {
	c.Rerun = true
	return c
}

// other returns the claim with another fingerprint.
func other(c store.Claim) store.Claim {
	c.Fingerprint = store.Fingerprint([]byte("[]"))
	return c
}

// outcome returns how the execution of a claim ended.
func outcome(c store.Claim, state store.State, result []byte) store.Completion {
	return store.Completion{Key: c.Key, Owner: c.Owner, State: state, Result: result, Retention: retention}
}

// claim claims, and wants the verdict.
func (p *probe) claim(c store.Claim, want store.ClaimStatus, when string) store.ClaimResult {
	p.enter("Claim")
	a, err := p.Store.Claim(p.ctx, c)
	p.wantErr(err, nil, when)
	if a.Status != want {
		p.fail("Claim, %s: the verdict is %q instead of %q", when, a.Status, want)
	}
	return a
}

func (p *probe) mark(c store.Claim, want error, when string) {
	p.enter("Mark")
	p.wantErr(p.Store.Mark(p.ctx, c.Key, c.Owner), want, when)
}

func (p *probe) renew(c store.Claim, d time.Duration, want error, when string) {
	p.enter("Renew")
	p.wantErr(p.Store.Renew(p.ctx, c.Key, c.Owner, d), want, when)
}

func (p *probe) complete(c store.Completion, want error, when string) {
	p.enter("Complete")
	p.wantErr(p.Store.Complete(p.ctx, c), want, when)
}

func (p *probe) release(c store.Claim, want error, when string) {
	p.enter("Release")
	p.wantErr(p.Store.Release(p.ctx, c.Key, c.Owner), want, when)
}

func (p *probe) resolve(key store.Key, r store.Finding, want error, when string) {
	p.enter("Resolve")
	p.wantErr(p.Store.Resolve(p.ctx, key, r), want, when)
}

func (p *probe) get(key store.Key, when string) store.Record {
	p.enter("Get")
	r, err := p.Store.Get(p.ctx, key)
	p.wantErr(err, nil, when)
	return r
}

func (p *probe) spend(n store.Nonce, owner store.Owner, want bool, when string) {
	p.enter("Spend")
	spent, err := p.Store.Spend(p.ctx, n, owner)
	p.wantErr(err, nil, when)
	if spent != want {
		p.fail("Spend, %s: %t instead of %t", when, spent, want)
	}
}

// wantErr wants that the last operation returned an error that wraps one, or none.
func (p *probe) wantErr(err, want error, when string) {
	switch {
	case want == nil && err != nil:
		p.fail("%s, %s: an error without a reason: %v", p.operation(), when, err)
	case want != nil && err == nil:
		p.fail("%s, %s: no error, instead of %q", p.operation(), when, want)
	case !errors.Is(err, want):
		p.fail("%s, %s: the error is %q instead of %q", p.operation(), when, err, want)
	}
}

// absent wants that there is no record.
func (p *probe) absent(key store.Key, when string) {
	if r := p.get(key, when); !same(r, store.Record{}) || r.LeaseLeft != 0 || r.ExpiresIn != 0 {
		p.fail("Get, %s: there is a record, %v", when, r.State)
	}
}

// unchanged wants that a record is what it was before, at the same time.
func (p *probe) unchanged(key store.Key, before store.Record, when string) {
	after := p.get(key, when)
	switch {
	case !same(before, after):
		p.fail("%s: the record has changed", when)
	case before.State == store.InProgress && !p.near(after.LeaseLeft, before.LeaseLeft):
		p.fail("%s: the lease has changed from %v to %v", when, before.LeaseLeft, after.LeaseLeft)
	case !p.near(after.ExpiresIn, before.ExpiresIn):
		p.fail("%s: the retention has changed from %v to %v", when, before.ExpiresIn, after.ExpiresIn)
	}
}

// same compares what does not change with time.
func same(a, b store.Record) bool {
	return a.State == b.State && a.Owner == b.Owner && a.Started == b.Started && a.Fingerprint == b.Fingerprint &&
		sameResult(a.Result, b.Result)
}

func sameResult(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

// near reports whether a duration that the store measured is the one that is to be.
func (p *probe) near(got, want time.Duration) bool {
	if p.Exact {
		return got == want
	}
	return got <= want && got > want-slack
}

// contenders is how many goroutines do the same at once.
const contenders = 16

// contend calls a function in many goroutines that begin together, and returns what each returned.
func contend[T any](p *probe, operation string, call func(i int) (T, error)) []T {
	p.enter(operation)
	var (
		group  sync.WaitGroup
		begin  = make(chan struct{})
		values [contenders]T
		errs   [contenders]error
	)
	for i := range contenders {
		group.Go(func() {
			defer func() {
				if recover() != nil {
					errs[i] = errors.New("panicked")
				}
			}()
			<-begin
			values[i], errs[i] = call(i)
		})
	}
	close(begin)
	group.Wait()
	for _, err := range errs {
		p.wantErr(err, nil, strconv.Itoa(contenders)+" at once")
	}
	return values[:]
}
