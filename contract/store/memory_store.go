package store

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// Claim implements [Store].
func (m *Memory) Claim(ctx context.Context, c Claim) (ClaimResult, error) {
	if err := c.Validate(); err != nil {
		return ClaimResult{}, err
	}
	answer, err := m.claim(ctx, c)
	answer.Result = bytes.Clone(answer.Result)
	return answer, err
}

func (m *Memory) claim(ctx context.Context, c Claim) (ClaimResult, error) {
	err := m.begin(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return ClaimResult{}, err
	}
	e := m.record(c.Key)
	found := m.show(e)
	if v := c.StatusFor(found, m.highest(c.Budget.Key)); v != Claimed {
		return found.ClaimResult(v), nil
	}
	spender, spent := m.spender(c.Nonce.Key)
	if spent && spender != c.Owner {
		return ClaimResult{Status: NonceSpent}, nil
	}
	spend := !spent && !c.Nonce.IsZero()
	entries := 0
	if e == nil {
		entries++
	}
	if spend {
		entries++
	}
	if entries > 0 && !m.makeRoom(entries, 0, c.Key.Partition) {
		return ClaimResult{}, ErrFull
	}
	if spend {
		m.nonces.add(c.Nonce.Key, m.in(c.Nonce.TTL), c.Owner)
	}
	claimed := memoryRecord{
		state:       InProgress,
		owner:       c.Owner,
		fingerprint: c.Fingerprint,
		leaseEnd:    m.in(c.Lease),
		started:     c.Start || found.Started || found.IsAbandoned(),
	}
	if e == nil {
		m.records.add(c.Key, m.in(c.Retention), claimed)
	} else {
		e.value = claimed // what can be claimed has no result
		m.records.move(e, m.in(c.Retention))
	}
	return ClaimResult{Status: Claimed}, nil
}

// Mark implements [Store].
func (m *Memory) Mark(ctx context.Context, key Key, owner Owner) error {
	if err := validateOwned("mark", key, owner); err != nil {
		return err
	}
	err := m.begin(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	e := m.owned(key, owner, InProgress)
	if e == nil {
		return ErrLost
	}
	e.value.started = true
	return nil
}

// Renew implements [Store].
func (m *Memory) Renew(ctx context.Context, key Key, owner Owner, lease time.Duration) error {
	if err := validateOwned("renew", key, owner); err != nil {
		return err
	}
	if lease <= 0 {
		return fmt.Errorf("%w: renew: the lease is not positive", ErrInvalid)
	}
	err := m.begin(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	e := m.owned(key, owner, InProgress)
	if e == nil {
		return ErrLost
	}
	e.value.leaseEnd = m.in(lease)
	m.records.move(e, max(e.end, e.value.leaseEnd))
	return nil
}

// Complete implements [Store].
func (m *Memory) Complete(ctx context.Context, c Completion) error {
	if err := c.Validate(); err != nil {
		return err
	}
	err := m.begin(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	e := m.owned(c.Key, c.Owner, InProgress, Unknown, Completed, Failed)
	switch {
	case e == nil:
		return ErrLost
	case e.value.state.IsFinished():
		return nil
	}
	m.resetCounts(c.Forget)
	if c.Retention <= 0 {
		m.forget(e)
		return nil
	}
	e.value.state = c.State
	m.records.move(e, m.in(c.Retention)) // before room is made, which must not find it expired
	if m.makeRoom(0, bodySize(c.Result), c.Key.Partition) {
		m.bodies.add(e, bytes.Clone(c.Result))
	}
	return nil
}

// Release implements [Store].
func (m *Memory) Release(ctx context.Context, key Key, owner Owner) error {
	if err := validateOwned("release", key, owner); err != nil {
		return err
	}
	err := m.begin(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	e := m.owned(key, owner, InProgress, Unknown)
	if e == nil {
		return ErrLost
	}
	m.forget(e)
	return nil
}

// Get implements [Store].
func (m *Memory) Get(ctx context.Context, key Key) (Record, error) {
	if key.IsZero() {
		return Record{}, fmt.Errorf("%w: get: the key is zero", ErrInvalid)
	}
	r, err := m.get(ctx, key)
	r.Result = bytes.Clone(r.Result)
	return r, err
}

func (m *Memory) get(ctx context.Context, key Key) (Record, error) {
	err := m.begin(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return Record{}, err
	}
	return m.show(m.record(key)), nil
}

// Resolve implements [Store].
func (m *Memory) Resolve(ctx context.Context, key Key, f Finding) error {
	switch {
	case key.IsZero():
		return fmt.Errorf("%w: resolve: the key is zero", ErrInvalid)
	case !f.IsValid():
		return fmt.Errorf("%w: resolve: the resolution is neither happened nor did not happen", ErrInvalid)
	}
	err := m.begin(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	e := m.record(key)
	switch {
	case e == nil:
		return ErrNotFound
	case !m.show(e).IsAbandoned():
		return ErrNotUnknown
	case f == DidNotHappen:
		m.forget(e)
		return nil
	}
	e.value.state = Completed
	e.value.owner = Owner{}
	return nil
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
