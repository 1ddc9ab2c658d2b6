package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// Claim implements [store.Store].
func (s *operations) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	if err := c.Validate(); err != nil {
		return store.ClaimResult{}, err
	}
	locked := store.ClaimResult{Status: store.Running, LeaseLeft: lockedLease}
	if s.dialect == Postgres {
		result, err := s.claimAtOnce(ctx, c)
		if err == nil && result.Status == needsStep {
			result, err = s.claimInStep(ctx, c)
		}
		if _, isLocked := errors.AsType[*lockedError](err); isLocked {
			return locked, nil
		}
		return result, err
	}
	// Most claims that cannot take the record need no lock: what they read was
	// true when they read it.
	r, now, err := s.lookUp(ctx, c.Key)
	if err != nil {
		return store.ClaimResult{}, err
	}
	found := r.record(now)
	status := c.StatusFor(found, 0)
	if status == store.Finished || status == store.Conflicting || status == store.Running {
		return found.ClaimResult(status), nil
	}
	var result store.ClaimResult
	err = errUnplanned
	if r == nil {
		result, err = s.claimNew(ctx, c)
	}
	if errors.Is(err, errUnplanned) {
		result, err = s.claimInStep(ctx, c)
	}
	if errors.Is(err, store.ErrBusy) && found.State == store.InProgress && found.Owner != c.Owner {
		return locked, nil
	}
	return result, err
}

// lockedLease is the shortest time for which a locked record is assumed to stay
// locked.
const lockedLease = time.Second

func (s *operations) claimInStep(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	return take(ctx, s, c.Key.Partition, func(t *step) (store.ClaimResult, error) {
		r, err := t.find(c.Key)
		if err != nil {
			return store.ClaimResult{}, err
		}
		return t.claim(c, r)
	})
}

// claimNew is claimInStep for a key that had no record a moment ago. The error
// is errUnplanned if it has one now, or may have one because the claim does not
// take it.
func (s *operations) claimNew(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	p := plan{partition: c.Key.Partition, grows: room{entries: 1}}
	return follow(ctx, s, p, func(t *step) (store.ClaimResult, error) {
		result, err := t.claim(c, nil)
		if errors.Is(err, store.ErrFull) || err == nil && result.Status != store.Claimed {
			err = errUnplanned
		}
		return result, err
	})
}

// claim makes a claim that finds a record, or nil.
func (t *step) claim(c store.Claim, r *row) (none store.ClaimResult, err error) {
	highest := int64(0)
	if !c.Budget.Key.IsZero() {
		if highest, _, err = t.highest(c.Budget.Key); err != nil {
			return none, err
		}
	}
	found := r.record(t.now)
	if status := c.StatusFor(found, highest); status != store.Claimed {
		return found.ClaimResult(status), nil
	}
	spends := false
	if !c.Nonce.Key.IsZero() {
		spender, spent, err := t.spender(c.Nonce.Key)
		switch {
		case err != nil:
			return none, err
		case spent && !c.Spends(found, spender):
			return store.ClaimResult{Status: store.NonceSpent}, nil
		case spent:
			err = t.exec(setNonce, c.Owner[:], c.Nonce.Key.Partition[:], c.Nonce.Key.ID[:])
		default:
			spends = true
		}
		if err != nil {
			return none, err
		}
	}
	entries := int64(0)
	if r == nil {
		entries++
	}
	if spends {
		entries++
	}
	if err := t.makeRoom(entries); err != nil {
		return none, err
	}
	if spends {
		if err := t.spend(c.Nonce, c.Owner); err != nil {
			return none, err
		}
	}
	claimed := &row{
		state: store.InProgress, owner: c.Owner, fingerprint: c.Fingerprint, lease: t.in(c.Lease), ends: t.in(c.Retention),
		started: c.Start || !found.State.IsFinished() && (found.Started || found.IsAbandoned()),
	}
	if r == nil {
		err = t.add(c.Key, claimed)
	} else {
		err = t.set(c.Key, claimed, len(r.result))
	}
	return store.ClaimResult{Status: store.Claimed}, err
}

// Mark implements [store.Store].
func (s *operations) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	if err := checkOwned("mark", key, owner); err != nil {
		return err
	}
	return change(ctx, s, key.Partition, func(t *step) error {
		r, err := t.owned(key, owner, store.InProgress)
		if err != nil || r.started {
			return err
		}
		r.started = true
		return t.set(key, r, len(r.result))
	})
}

// Renew implements [store.Store].
func (s *operations) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	if err := checkOwned("renew", key, owner); err != nil {
		return err
	}
	if lease <= 0 {
		return fmt.Errorf("%w: renew: the lease is not positive", store.ErrInvalid)
	}
	if _, held := s.lockOwners.Load(owner); held {
		return nil // its transaction's lock is the lease
	}
	return change(ctx, s, key.Partition, func(t *step) error {
		r, err := t.owned(key, owner, store.InProgress)
		if err != nil {
			return err
		}
		r.lease = t.in(lease)
		r.ends = max(r.ends, r.lease)
		return t.set(key, r, len(r.result))
	})
}

// Complete implements [store.Store].
func (s *operations) Complete(ctx context.Context, c store.Completion) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if s.dialect == Postgres {
		done, err := s.completeAtOnce(ctx, s.db, c, false)
		if _, locked := errors.AsType[*lockedError](err); !locked && (err != nil || done) {
			return err
		}
	}
	if s.dialect == SQLite && c.Retention > 0 {
		_, err := follow(ctx, s, planOf(c, true), func(t *step) (none struct{}, err error) { return none, t.complete(c) })
		if !errors.Is(err, errUnplanned) {
			return err
		}
	}
	return change(ctx, s, c.Key.Partition, func(t *step) error { return t.complete(c) })
}

// planOf returns the plan of a completion.
func planOf(c store.Completion, relaxed bool) plan {
	return plan{partition: c.Key.Partition, grows: room{bytes: int64(len(c.Result))}, relaxed: relaxed}
}

func (t *step) complete(c store.Completion) (err error) {
	// A loss of power may undo a relaxed completion, so it takes only a record that
	// is marked as started, whose outcome is then unknown: the call does not run
	// again. Another one would be free, or a person's decision would not count.
	statement, r := completeRecord, &row{owner: c.Owner, started: true, lease: t.now}
	if !t.relaxed {
		statement = setRecord
		r, err = t.owned(c.Key, c.Owner, store.InProgress, store.Unknown, store.Completed, store.Failed)
		if err != nil || r.state.IsFinished() {
			return err
		}
	}
	if !c.Forget.IsZero() {
		if err := t.forget(c.Forget); err != nil {
			return err
		}
	}
	if c.Retention <= 0 {
		return t.remove(c.Key, r)
	}
	t.room.bytes -= int64(len(r.result)) // of an unknown outcome
	r.state = c.State
	r.ends = t.in(c.Retention)
	r.result = nil
	fits, err := t.fits(0, int64(len(c.Result)), c.Key.ID)
	if err != nil {
		return err
	}
	if fits {
		r.result = c.Result
	}
	t.room.bytes += int64(len(r.result))
	return t.write(statement, c.Key, r)
}

// Release implements [store.Store].
func (s *operations) Release(ctx context.Context, release store.Release) error {
	if err := release.Validate(); err != nil {
		return err
	}
	_, isUnclear := s.unclear.Load(release.Owner)
	hasCommitted := false
	err := change(ctx, s, release.Key.Partition, func(t *step) error {
		r, err := t.owned(release.Key, release.Owner, store.InProgress, store.Unknown)
		if err != nil {
			return err
		}
		if hasCommitted = isUnclear && r.started; hasCommitted {
			r.state = store.Unknown
			r.ends = t.in(abandonedRetention)
			return t.set(release.Key, r, len(r.result))
		}
		if err := t.remove(release.Key, r); err != nil || release.Nonce.IsZero() {
			return err
		}
		spender, spent, err := t.spender(release.Nonce)
		if err != nil || !spent || spender != release.Owner {
			return err
		}
		return t.removeNonce(release.Nonce)
	})
	if err == nil && hasCommitted {
		err = store.ErrLost
	}
	if err == nil || errors.Is(err, store.ErrLost) {
		s.unclear.Delete(release.Owner)
	}
	return err
}

// Get implements [store.Store].
func (s *operations) Get(ctx context.Context, key store.Key) (store.Record, error) {
	if key.IsZero() {
		return store.Record{}, fmt.Errorf("%w: get: the key is zero", store.ErrInvalid)
	}
	r, now, err := s.lookUp(ctx, key)
	return r.record(now), err
}

// lookUp reads a record without a lock, and the time. It returns nil if there
// is no record. The record may have expired.
func (s *operations) lookUp(ctx context.Context, key store.Key) (r *row, now int64, err error) {
	err = s.read(ctx, readRecord, key, func(row *sql.Row) (err error) {
		r, now, err = scan(row)
		return err
	})
	return r, s.tell(now), err
}

// Resolve implements [store.Store].
func (s *operations) Resolve(ctx context.Context, key store.Key, settled store.Settlement) error {
	switch {
	case key.IsZero():
		return fmt.Errorf("%w: resolve: the key is zero", store.ErrInvalid)
	case settled != store.Happened && settled != store.DidNotHappen:
		return fmt.Errorf("%w: resolve: the settlement is neither happened nor did not happen", store.ErrInvalid)
	}
	return change(ctx, s, key.Partition, func(t *step) error {
		r, err := t.find(key)
		switch {
		case err != nil:
			return err
		case r == nil:
			return store.ErrNotFound
		case !r.record(t.now).IsAbandoned():
			return store.ErrNotUnknown
		case settled == store.DidNotHappen:
			return t.remove(key, r)
		}
		bytes := len(r.result)
		r.state = store.Completed
		r.owner = store.Owner{}
		r.result = nil
		return t.set(key, r, bytes)
	})
}

func checkOwned(operation string, key store.Key, owner store.Owner) error {
	switch {
	case key.IsZero():
		return fmt.Errorf("%w: %s: the key is zero", store.ErrInvalid, operation)
	case owner.IsZero():
		return fmt.Errorf("%w: %s: the owner is zero", store.ErrInvalid, operation)
	}
	return nil
}
