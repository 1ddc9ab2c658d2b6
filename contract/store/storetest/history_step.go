package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A step is one operation of a history, with the members that it needs.
type step struct {
	operation  Operation
	claim      store.Claim // its Key and Owner are those of every operation of a Store
	counts     store.Key   // of Add and Reset
	lease      time.Duration
	completion store.Completion
	resolution store.Finding
	text       string
}

// A reply is what an operation returned.
type reply struct {
	answer store.ClaimResult
	record store.Record
	spent  bool
	count  int64
	err    error
}

// do lets the store take a step.
func (s step) do(ctx context.Context, on store.Store) (r reply) {
	key, owner := s.claim.Key, s.claim.Owner
	switch s.operation {
	case Claim:
		r.answer, r.err = on.Claim(ctx, s.claim)
	case Mark:
		r.err = on.Mark(ctx, key, owner)
	case Renew:
		r.err = on.Renew(ctx, key, owner, s.lease)
	case Complete:
		r.err = on.Complete(ctx, s.completion)
	case Release:
		r.err = on.Release(ctx, key, owner)
	case Resolve:
		r.err = on.Resolve(ctx, key, s.resolution)
	case Spend:
		r.spent, r.err = on.Spend(ctx, s.claim.Nonce, owner)
	case Add:
		r.count, r.err = on.Add(ctx, s.counts, wrongCode, s.lease)
	case Reset:
		r.err = on.Reset(ctx, s.counts)
	default:
		r.record, r.err = on.Get(ctx, key)
	}
	return r
}

// want lets the model take a step, and reports whether it is open if the record counts as started.
func (s step) want(m *model) (r reply, open bool) {
	key, owner := s.claim.Key, s.claim.Owner
	switch s.operation {
	case Claim:
		r.answer, open = m.claim(s.claim)
	case Mark:
		r.err = m.mark(key, owner)
	case Renew:
		r.err = m.renew(key, owner, s.lease)
	case Complete:
		r.err = m.complete(s.completion)
	case Release:
		r.err = m.release(key, owner)
	case Resolve:
		r.err = m.resolve(key, s.resolution)
	case Spend:
		r.spent = m.spend(s.claim.Nonce, owner)
	case Add:
		r.count = m.add(s.counts, s.lease)
	case Reset:
		delete(m.counts, s.counts)
	default:
		r.record = m.get(key)
	}
	return r, open
}

// differs says in what a reply is not the one that is to be, empty where in nothing. near compares
// durations.
func (r reply) differs(want reply, near func(got, want time.Duration) bool) string {
	a, b := r.answer, want.answer
	switch {
	case want.err == nil && r.err != nil, !errors.Is(r.err, want.err):
		return fmt.Sprintf("the error is %v instead of %v", r.err, want.err)
	case r.count != want.count:
		return fmt.Sprintf("the count is %d instead of %d", r.count, want.count)
	case r.spent != want.spent:
		return fmt.Sprintf("Spend is %t instead of %t", r.spent, want.spent)
	case a.Status != b.Status:
		return fmt.Sprintf("the verdict is %q instead of %q", a.Status, b.Status)
	case a.State != b.State:
		return fmt.Sprintf("the state of the answer is %v instead of %v", a.State, b.State)
	case !sameResult(a.Result, b.Result):
		return fmt.Sprintf("the result of the answer is %q instead of %q", a.Result, b.Result)
	case !sameLeft(a.LeaseLeft, b.LeaseLeft, near):
		return fmt.Sprintf("the lease of the answer is %v instead of %v", a.LeaseLeft, b.LeaseLeft)
	}
	return differs(r.record, want.record, near)
}

func differs(a, b store.Record, near func(got, want time.Duration) bool) string {
	working := b.State == store.InProgress
	switch {
	case a.State != b.State:
		return fmt.Sprintf("the state of the record is %v instead of %v", a.State, b.State)
	case a.Owner != b.Owner:
		return "the record has another owner"
	case a.Fingerprint != b.Fingerprint:
		return "the record has another fingerprint"
	case !sameResult(a.Result, b.Result):
		return fmt.Sprintf("the result of the record is %q instead of %q", a.Result, b.Result)
	case working && a.Started != b.Started:
		return fmt.Sprintf("that the record is started is %t instead of %t", a.Started, b.Started)
	case working && !sameLeft(a.LeaseLeft, b.LeaseLeft, near):
		return fmt.Sprintf("the lease of the record is %v instead of %v", a.LeaseLeft, b.LeaseLeft)
	case !sameLeft(a.ExpiresIn, b.ExpiresIn, near):
		return fmt.Sprintf("the record exists for %v instead of %v", a.ExpiresIn, b.ExpiresIn)
	}
	return ""
}

// sameLeft compares what is left of a time. Where nothing is left it does not matter for how long.
func sameLeft(got, want time.Duration, near func(got, want time.Duration) bool) bool {
	if want <= 0 {
		return got <= 0
	}
	return near(got, want)
}
