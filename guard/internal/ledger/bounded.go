package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/store"
)

// concurrent bounds how many operations run at once, because each operation of
// a hanging store ties up a goroutine.
const concurrent = 1024

// An Operation is one operation of a store that has ended.
type Operation struct {
	Name     string // the method in lower case
	Start    time.Time
	Duration time.Duration
	Local    bool // the store is in this process's memory
	Outage   bool // see [IsOutage]
}

// A bounded store gives each operation of another store a time limit and a
// concurrency slot, contains its panics, and reports it. After an error that is
// not one of package store, the operation may still have taken place. During an
// outage, the operations with which a call begins fail at once with errAway.
// Operations that record the end of a running call are always tried.
type bounded struct {
	store   store.Store
	timeout time.Duration
	direct  bool                             // a [store.Memory], which needs no bounds: operations are only reported
	patient bool                             // an outage denies nothing
	report  func(context.Context, Operation) // nil: nothing is reported
	slots   contain.Slots
	outage  outage
}

var _ store.Store = (*bounded)(nil)

// query runs an operation that returns a value.
func query[T any](ctx context.Context, b *bounded, name string, operation func(context.Context) (T, error)) (T, error) {
	start := time.Now()
	value, err := runLimited(ctx, b, operation)
	b.reportEnd(ctx, name, start, err)
	return value, err
}

// update runs an operation that returns only an error.
func update(ctx context.Context, b *bounded, name string, operation func(context.Context) error) error {
	_, err := query(ctx, b, name, func(ctx context.Context) (struct{}, error) { return struct{}{}, operation(ctx) })
	return err
}

// begin runs an operation with which a call begins. During an outage it returns
// errAway at once.
func begin[T any](ctx context.Context, b *bounded, name string, operation func(context.Context) (T, error)) (T, error) {
	if b.patient {
		return query(ctx, b, name, operation)
	}
	start := time.Now()
	value, err := runIfAdmitted(ctx, b, start, operation)
	b.reportEnd(ctx, name, start, err)
	return value, err
}

func runIfAdmitted[T any](
	ctx context.Context, b *bounded, start time.Time, operation func(context.Context) (T, error),
) (none T, err error) {
	switch b.outage.admit(start, b.timeout) {
	case denied:
		return none, errAway
	case deniedAndChecked:
		go b.check()
		return none, errAway
	case admitted:
	}
	value, err := runLimited(ctx, b, operation)
	if ctx.Err() == nil { // otherwise the caller did not wait for the answer
		b.observe(start, err)
	}
	return value, err
}

func runLimited[T any](ctx context.Context, b *bounded, operation func(context.Context) (T, error)) (T, error) {
	if b.direct {
		return operation(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return contain.Call(ctx, b.slots, operation)
}

// reportEnd reports an operation that began at start.
func (b *bounded) reportEnd(ctx context.Context, name string, start time.Time, err error) {
	if b.report != nil {
		b.report(ctx, Operation{Name: name, Start: start, Duration: time.Since(start), Local: b.IsLocal(), Outage: IsOutage(err)})
	}
}

// check finds out whether the store answers again, by reading a key that no
// record has.
func (b *bounded) check() {
	_, err := runLimited(context.Background(), b, func(ctx context.Context) (store.Record, error) {
		return b.store.Get(ctx, store.Scope{Tool: "outage"}.Key("check"))
	})
	if !IsOutage(err) {
		b.outage.checked(time.Now())
	}
}

// observe records whether the store answered. A fast error does not cost other
// calls any time, so it does not start an outage.
func (b *bounded) observe(began time.Time, err error) {
	now := time.Now()
	b.outage.observe(now, IsOutage(err), now.Sub(began) >= b.timeout/slowPart)
}

func (b *bounded) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	return begin(ctx, b, "claim", func(ctx context.Context) (store.ClaimResult, error) { return b.store.Claim(ctx, c) })
}

func (b *bounded) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	return update(ctx, b, "mark", func(ctx context.Context) error { return b.store.Mark(ctx, key, owner) })
}

func (b *bounded) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	return update(ctx, b, "renew", func(ctx context.Context) error { return b.store.Renew(ctx, key, owner, lease) })
}

func (b *bounded) Complete(ctx context.Context, c store.Completion) error {
	return update(ctx, b, "complete", func(ctx context.Context) error { return b.store.Complete(ctx, c) })
}

func (b *bounded) Release(ctx context.Context, r store.Release) error {
	return update(ctx, b, "release", func(ctx context.Context) error { return b.store.Release(ctx, r) })
}

func (b *bounded) Get(ctx context.Context, key store.Key) (store.Record, error) {
	return begin(ctx, b, "get", func(ctx context.Context) (store.Record, error) { return b.store.Get(ctx, key) })
}

func (b *bounded) Resolve(ctx context.Context, key store.Key, f store.Settlement) error {
	return update(ctx, b, "resolve", func(ctx context.Context) error { return b.store.Resolve(ctx, key, f) })
}

func (b *bounded) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	return begin(ctx, b, "spend", func(ctx context.Context) (bool, error) { return b.store.Spend(ctx, n, by) })
}

func (b *bounded) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	return begin(ctx, b, "add", func(ctx context.Context) (int64, error) { return b.store.Add(ctx, key, kind, window) })
}

func (b *bounded) Max(ctx context.Context, key store.Key) (store.Count, error) {
	return begin(ctx, b, "max", func(ctx context.Context) (store.Count, error) { return b.store.Max(ctx, key) })
}

func (b *bounded) Reset(ctx context.Context, key store.Key) error {
	return update(ctx, b, "reset", func(ctx context.Context) error { return b.store.Reset(ctx, key) })
}

func (b *bounded) IsLocal() bool { return b.store.IsLocal() }

func (b *bounded) Epoch() string { return b.store.Epoch() }

// A storeError is a copy of an error that the store returned.
type storeError struct {
	text string
	kind error // an error of package store; nil: the store was not reached
}

func (e *storeError) Error() string { return e.text }

func (e *storeError) Unwrap() error { return e.kind }

// note copies an error of the store, or returns nil for nil.
func note(err error) error {
	if err == nil {
		return nil
	}
	return &storeError{text: err.Error(), kind: kindOf(err)}
}

// kindOf returns the error of package store that an error wraps, or nil.
func kindOf(err error) error {
	if full, ok := errors.AsType[*store.FullError](err); ok {
		return &store.FullError{RetryAfter: full.RetryAfter}
	}
	for _, kind := range []error{
		store.ErrInvalid, store.ErrLost, store.ErrFull, store.ErrBusy, store.ErrNotFound, store.ErrNotUnknown, store.ErrEnded,
	} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return nil
}

// IsOutage reports whether an error of a ledger means that the store did not
// answer. Errors of package store are answers.
func IsOutage(err error) bool { return err != nil && kindOf(err) == nil }

// WasNotSent reports whether an error means that the operation did not take
// place.
func WasNotSent(err error) bool {
	return errors.Is(err, contain.ErrNoSlot) || errors.Is(err, errAway) || errors.Is(err, store.ErrBusy)
}
