package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// ErrFault is the error of a [Faulty] where none was given.
var ErrFault = errors.New("storetest: injected fault")

// Every stands for every call of an operation, in place of the index of one.
const Every = -1

// A Faulty is a store that goes wrong as it is told to: the call of an operation with an index, counted from
// zero for each operation apart, or [Every] one. What is said of an index comes before what is said of every
// one. It is for the tests of what uses a store. [NewFaulty] makes one; it is safe for concurrent use.
type Faulty struct {
	store store.Store

	mu     sync.Mutex
	counts map[Operation]int
	faults map[occasion]fault
}

var _ store.Store = (*Faulty)(nil)

type occasion struct {
	operation Operation
	index     int
}

// A fault is what happens to one call. The zero fault is none.
type fault struct {
	before, after error
	arrived       func()
	released      <-chan struct{}
}

// NewFaulty returns a store that passes everything on to another, until it is told what to do else.
func NewFaulty(store store.Store) *Faulty {
	return &Faulty{store: store, counts: map[Operation]int{}, faults: map[occasion]fault{}}
}

// FailBefore lets a call fail without reaching the store, as one whose request is lost. A nil error is
// [ErrFault].
func (f *Faulty) FailBefore(op Operation, index int, err error) {
	f.set(op, index, func(x *fault) { x.before = orFault(err) })
}

// FailAfter lets a call reach the store, and fail then, as one whose reply is lost. The error takes the place
// of what the store returned. A nil error is [ErrFault].
func (f *Faulty) FailAfter(op Operation, index int, err error) {
	f.set(op, index, func(x *fault) { x.after = orFault(err) })
}

// Delay lets a call wait until release is called, and go on then, to what else was said of it. A call whose
// context ends before that returns the error of the context, without reaching the store. arrived is closed
// when the first such call waits. release may be called at any time and more than once.
func (f *Faulty) Delay(op Operation, index int) (arrived <-chan struct{}, release func()) {
	waits, goOn := make(chan struct{}), make(chan struct{})
	f.set(op, index, func(x *fault) {
		x.arrived = sync.OnceFunc(func() { close(waits) })
		x.released = goOn
	})
	return waits, sync.OnceFunc(func() { close(goOn) })
}

// Heal takes back every fault that was set; what waits goes on waiting. The counts stay.
func (f *Faulty) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.faults)
}

// Count returns how often an operation was called, with those that failed or are still waiting. It is the
// index of the next call.
func (f *Faulty) Count(op Operation) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[op]
}

// Counting returns a counter that passes everything on to another, and goes wrong as f is told to: see [Add], [Max]
// and [Reset]. A store that is a [store.Counter] too is made of the two:
//
//	struct {
//		*storetest.Faulty
//		store.Counter
//	}{f, f.Counting(memory)}
func (f *Faulty) Counting(counter store.Counter) store.Counter {
	return &faultyCounter{f, counter}
}

// IsLocal reports what the store says of itself, false where it says nothing; see
// [store.Memory.IsLocal].
func (f *Faulty) IsLocal() bool {
	local, ok := f.store.(interface{ IsLocal() bool })
	return ok && local.IsLocal()
}

func orFault(err error) error {
	if err == nil {
		return ErrFault
	}
	return err
}

func (f *Faulty) set(op Operation, index int, change func(*fault)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.faults[occasion{op, index}]
	change(&x)
	f.faults[occasion{op, index}] = x
}

func (f *Faulty) next(op Operation) fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	index := f.counts[op]
	f.counts[op]++
	if x, ok := f.faults[occasion{op, index}]; ok {
		return x
	}
	return f.faults[occasion{op, Every}]
}

// around does one call with the fault that was set for it.
func around[T any](ctx context.Context, f *Faulty, op Operation, do func() (T, error)) (T, error) {
	var none T
	x := f.next(op)
	if x.released != nil {
		x.arrived()
		select {
		case <-x.released:
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
	if x.before != nil {
		return none, x.before
	}
	value, err := do()
	if x.after != nil {
		return none, x.after
	}
	return value, err
}

// change is around for an operation that returns its error alone.
func (f *Faulty) change(ctx context.Context, op Operation, do func() error) error {
	_, err := around(ctx, f, op, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// Claim implements [store.Store].
func (f *Faulty) Claim(ctx context.Context, c store.Claim) (store.Answer, error) {
	return around(ctx, f, Claim, func() (store.Answer, error) { return f.store.Claim(ctx, c) })
}

// Mark implements [store.Store].
func (f *Faulty) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	return f.change(ctx, Mark, func() error { return f.store.Mark(ctx, key, owner) })
}

// Renew implements [store.Store].
func (f *Faulty) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	return f.change(ctx, Renew, func() error { return f.store.Renew(ctx, key, owner, lease) })
}

// Complete implements [store.Store].
func (f *Faulty) Complete(ctx context.Context, c store.Completion) error {
	return f.change(ctx, Complete, func() error { return f.store.Complete(ctx, c) })
}

// Release implements [store.Store].
func (f *Faulty) Release(ctx context.Context, key store.Key, owner store.Owner) error {
	return f.change(ctx, Release, func() error { return f.store.Release(ctx, key, owner) })
}

// Get implements [store.Store].
func (f *Faulty) Get(ctx context.Context, key store.Key) (store.Record, error) {
	return around(ctx, f, Get, func() (store.Record, error) { return f.store.Get(ctx, key) })
}

// Resolve implements [store.Store].
func (f *Faulty) Resolve(ctx context.Context, key store.Key, r store.Resolution) error {
	return f.change(ctx, Resolve, func() error { return f.store.Resolve(ctx, key, r) })
}
