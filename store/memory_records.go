package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"
)

// A memoryRecord is a [Record] with times in place of durations.
type memoryRecord struct {
	owner       Owner
	fingerprint Digest
	leaseEnd    time.Duration
	result      []byte // never modified, so that it can be copied without the lock
	place       place
	state       RecordState
	started     bool
}

// record returns the record of a key, or nil if there is none or it has
// expired.
func (m *memory) record(key Key) *entry[memoryRecord] {
	e := m.records.entries[key]
	if e != nil && e.end <= m.now {
		m.remove(e)
		return nil
	}
	return e
}

// owned returns the record of a key if the owner holds it in one of the states,
// else nil.
func (m *memory) owned(key Key, owner Owner, states ...RecordState) *entry[memoryRecord] {
	e := m.record(key)
	if e == nil || e.value.owner != owner || !slices.Contains(states, e.value.state) {
		return nil
	}
	return e
}

// remove removes a record and its result.
func (m *memory) remove(e *entry[memoryRecord]) {
	m.results.remove(e)
	m.records.remove(e)
}

// show returns a record as of now, or the zero Record for nil. The result is
// the store's own slice.
func (m *memory) show(e *entry[memoryRecord]) Record {
	if e == nil {
		return Record{}
	}
	r := Record{
		State:       e.value.state,
		Owner:       e.value.owner,
		Started:     e.value.started,
		Fingerprint: e.value.fingerprint,
		Result:      e.value.result,
		ExpiresIn:   e.end - m.now,
	}
	if r.State == InProgress {
		r.LeaseLeft = e.value.leaseEnd - m.now
	}
	return r
}

// Claim implements [Store].
func (m *memory) Claim(ctx context.Context, c Claim) (ClaimResult, error) {
	if err := c.Validate(); err != nil {
		return ClaimResult{}, err
	}
	result, err := query(ctx, m, func() (ClaimResult, error) { return m.claim(c) })
	result.Result = bytes.Clone(result.Result)
	return result, err
}

func (m *memory) claim(c Claim) (ClaimResult, error) {
	e := m.record(c.Key)
	found := m.show(e)
	if status := c.StatusFor(found, m.highest(c.Budget.Key)); status != Claimed {
		return found.ClaimResult(status), nil
	}
	spender, spent := m.spender(c.Nonce.Key)
	if spent && !c.Spends(found, spender) {
		return ClaimResult{Status: NonceSpent}, nil
	}
	spend := !spent && !c.Nonce.Key.IsZero()
	entries := 0
	if e == nil {
		entries++
	}
	if spend {
		entries++
	}
	if entries > 0 && !m.makeRoom(entries, 0, c.Key.Partition) {
		return ClaimResult{}, m.full()
	}
	switch {
	case spend:
		m.nonces.add(c.Nonce.Key, m.in(c.Nonce.TTL), c.Owner)
	case spent:
		m.nonces.entries[c.Nonce.Key].value = c.Owner
	}
	claimed := memoryRecord{
		state:       InProgress,
		owner:       c.Owner,
		fingerprint: c.Fingerprint,
		leaseEnd:    m.in(c.Lease),
		started:     c.Start || !found.State.IsFinished() && (found.Started || found.IsAbandoned()),
	}
	if e == nil {
		m.records.add(c.Key, m.in(c.Retention), claimed)
	} else {
		m.results.remove(e)
		e.value = claimed
		m.records.move(e, m.in(c.Retention))
	}
	return ClaimResult{Status: Claimed}, nil
}

// Mark implements [Store].
func (m *memory) Mark(ctx context.Context, key Key, owner Owner) error {
	if err := validateOwned("mark", key, owner); err != nil {
		return err
	}
	return m.update(ctx, func() error {
		e := m.owned(key, owner, InProgress)
		if e == nil {
			return ErrLost
		}
		e.value.started = true
		return nil
	})
}

// Renew implements [Store].
func (m *memory) Renew(ctx context.Context, key Key, owner Owner, lease time.Duration) error {
	if err := validateOwned("renew", key, owner); err != nil {
		return err
	}
	if lease <= 0 {
		return fmt.Errorf("%w: renew: the lease is not positive", ErrInvalid)
	}
	return m.update(ctx, func() error {
		e := m.owned(key, owner, InProgress)
		if e == nil {
			return ErrLost
		}
		e.value.leaseEnd = m.in(lease)
		m.records.move(e, max(e.end, e.value.leaseEnd))
		return nil
	})
}

// Complete implements [Store].
func (m *memory) Complete(ctx context.Context, c Completion) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return m.update(ctx, func() error { return m.complete(c) })
}

func (m *memory) complete(c Completion) error {
	e := m.owned(c.Key, c.Owner, InProgress, Unknown, Completed, Failed)
	switch {
	case e == nil:
		return ErrLost
	case e.value.state.IsFinished():
		return nil
	}
	m.reset(c.Forget)
	if c.Retention <= 0 {
		m.remove(e)
		return nil
	}
	e.value.state = c.State
	m.results.remove(e)                  // of an unknown outcome
	m.records.move(e, m.in(c.Retention)) // before makeRoom, which removes expired records
	if m.makeRoom(0, resultSize(c.Result), c.Key.Partition) {
		m.results.add(e, bytes.Clone(c.Result))
	}
	return nil
}

// Release implements [Store].
func (m *memory) Release(ctx context.Context, r Release) error {
	if err := r.Validate(); err != nil {
		return err
	}
	return m.update(ctx, func() error {
		e := m.owned(r.Key, r.Owner, InProgress, Unknown)
		if e == nil {
			return ErrLost
		}
		m.remove(e)
		if spender, spent := m.spender(r.Nonce); spent && spender == r.Owner {
			m.nonces.remove(m.nonces.entries[r.Nonce])
		}
		return nil
	})
}

// Get implements [Store].
func (m *memory) Get(ctx context.Context, key Key) (Record, error) {
	if key.IsZero() {
		return Record{}, fmt.Errorf("%w: get: the key is zero", ErrInvalid)
	}
	r, err := query(ctx, m, func() (Record, error) { return m.show(m.record(key)), nil })
	r.Result = bytes.Clone(r.Result)
	return r, err
}

// Resolve implements [Store].
func (m *memory) Resolve(ctx context.Context, key Key, s Settlement) error {
	switch {
	case key.IsZero():
		return fmt.Errorf("%w: resolve: the key is zero", ErrInvalid)
	case s != Happened && s != DidNotHappen:
		return fmt.Errorf("%w: resolve: the settlement is neither happened nor did not happen", ErrInvalid)
	}
	return m.update(ctx, func() error {
		e := m.record(key)
		switch {
		case e == nil:
			return ErrNotFound
		case !m.show(e).IsAbandoned():
			return ErrNotUnknown
		case s == DidNotHappen:
			m.remove(e)
			return nil
		}
		m.results.remove(e)
		e.value.state = Completed
		e.value.owner = Owner{}
		return nil
	})
}

func validateOwned(operation string, key Key, owner Owner) error {
	switch {
	case key.IsZero():
		return fmt.Errorf("%w: %s: the key is zero", ErrInvalid, operation)
	case owner.IsZero():
		return fmt.Errorf("%w: %s: the owner is zero", ErrInvalid, operation)
	}
	return nil
}
