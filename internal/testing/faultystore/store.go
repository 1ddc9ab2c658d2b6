// Package faultystore provides a store with injected faults, for testing code
// that uses a store.
package faultystore

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// ErrFault is the error a [Store] returns if the test specifies no other.
var ErrFault = errors.New("faultystore: injected fault")

// Every means every call of an operation; use it in place of a call's index.
const Every = -1

// A Store is a store with injected faults. A fault is set for one call of an
// operation, by its index counted from zero for each operation, or for [Every]
// call. A fault for one index takes precedence over one for every call. Use
// [New] to create a Store. It is safe for concurrent use.
type Store struct {
	store store.Store

	mu     sync.Mutex
	counts map[Operation]int
	faults map[occasion]fault
}

var _ store.Store = (*Store)(nil)

type occasion struct {
	operation Operation
	index     int
}

// A fault is a failure of one call. The zero fault means none.
type fault struct {
	before, after error
	arrived       func()
	released      <-chan struct{}
}

// New returns a store that passes every call on to s until a fault is set.
func New(s store.Store) *Store {
	return &Store{store: s, counts: map[Operation]int{}, faults: map[occasion]fault{}}
}

// FailBefore makes a call fail without reaching the store, as if its request
// were lost. A nil error means [ErrFault].
func (f *Store) FailBefore(op Operation, index int, err error) {
	f.set(op, index, func(x *fault) { x.before = cmp.Or(err, ErrFault) })
}

// FailAfter makes a call fail after it reached the store, as if the reply were
// lost. err replaces what the store returned; nil means [ErrFault].
func (f *Store) FailAfter(op Operation, index int, err error) {
	f.set(op, index, func(x *fault) { x.after = cmp.Or(err, ErrFault) })
}

// Delay makes a call wait until release is called. The call then continues with
// the other fault set for it, if any. If its context is done first, the call
// returns the context's error without reaching the store. The channel arrived
// is closed when the first such call waits. The function release may be called
// at any time and more than once.
func (f *Store) Delay(op Operation, index int) (arrived <-chan struct{}, release func()) {
	waits, goOn := make(chan struct{}), make(chan struct{})
	f.set(op, index, func(x *fault) {
		x.arrived = sync.OnceFunc(func() { close(waits) })
		x.released = goOn
	})
	return waits, sync.OnceFunc(func() { close(goOn) })
}

// Heal removes all faults. Calls that are waiting keep waiting, and the counts
// stay.
func (f *Store) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.faults)
}

// Count returns how often an operation was called, including calls that failed
// or are still waiting. That is also the index of the next call.
func (f *Store) Count(op Operation) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[op]
}

func (f *Store) set(op Operation, index int, change func(*fault)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.faults[occasion{op, index}]
	change(&x)
	f.faults[occasion{op, index}] = x
}

func (f *Store) next(op Operation) fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	index := f.counts[op]
	f.counts[op]++
	if x, ok := f.faults[occasion{op, index}]; ok {
		return x
	}
	return f.faults[occasion{op, Every}]
}

// query runs one call with the fault set for it.
func query[T any](ctx context.Context, f *Store, op Operation, do func() (T, error)) (T, error) {
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

// update is query for a call that returns only an error.
func (f *Store) update(ctx context.Context, op Operation, do func() error) error {
	_, err := query(ctx, f, op, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// Claim implements [store.Store].
func (f *Store) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	return query(ctx, f, Claim, func() (store.ClaimResult, error) { return f.store.Claim(ctx, c) })
}

// Mark implements [store.Store].
func (f *Store) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	return f.update(ctx, Mark, func() error { return f.store.Mark(ctx, key, owner) })
}

// Renew implements [store.Store].
func (f *Store) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	return f.update(ctx, Renew, func() error { return f.store.Renew(ctx, key, owner, lease) })
}

// Complete implements [store.Store].
func (f *Store) Complete(ctx context.Context, c store.Completion) error {
	return f.update(ctx, Complete, func() error { return f.store.Complete(ctx, c) })
}

// Release implements [store.Store].
func (f *Store) Release(ctx context.Context, r store.Release) error {
	return f.update(ctx, Release, func() error { return f.store.Release(ctx, r) })
}

// Get implements [store.Store].
func (f *Store) Get(ctx context.Context, key store.Key) (store.Record, error) {
	return query(ctx, f, Get, func() (store.Record, error) { return f.store.Get(ctx, key) })
}

// Resolve implements [store.Store].
func (f *Store) Resolve(ctx context.Context, key store.Key, settled store.Settlement) error {
	return f.update(ctx, Resolve, func() error { return f.store.Resolve(ctx, key, settled) })
}

// Spend implements [store.Store].
func (f *Store) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	return query(ctx, f, Spend, func() (bool, error) { return f.store.Spend(ctx, n, by) })
}

// Add implements [store.Store].
func (f *Store) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	return query(ctx, f, Add, func() (int64, error) { return f.store.Add(ctx, key, kind, window) })
}

// Max implements [store.Store].
func (f *Store) Max(ctx context.Context, key store.Key) (store.Count, error) {
	return query(ctx, f, Max, func() (store.Count, error) { return f.store.Max(ctx, key) })
}

// Reset implements [store.Store].
func (f *Store) Reset(ctx context.Context, key store.Key) error {
	return f.update(ctx, Reset, func() error { return f.store.Reset(ctx, key) })
}

// IsLocal returns what the underlying store returns.
func (f *Store) IsLocal() bool { return f.store.IsLocal() }

// Epoch returns what the underlying store returns.
func (f *Store) Epoch() string { return f.store.Epoch() }
