package storetest

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A model is a sequential store that follows the rules in the simplest way.
// Every answer of the store under test is compared with the model's. It is
// written from the rules alone, without the code of package store, so that they
// share no mistake. It never gets invalid requests.
type model struct {
	now     time.Duration
	records map[store.Key]modelRecord
	nonces  map[store.Key]modelNonce
	counts  map[store.Key]modelCounts
}

type modelRecord struct {
	fingerprint store.Digest
	owner       store.Owner
	state       store.RecordState
	started     bool
	result      []byte
	leaseEnd    time.Duration
	end         time.Duration
}

type modelNonce struct {
	owner store.Owner
	end   time.Duration
}

type modelCounts struct {
	kinds map[string]int64
	end   time.Duration
}

var _ store.Store = (*model)(nil)

func newModel() *model {
	return &model{
		records: map[store.Key]modelRecord{},
		nonces:  map[store.Key]modelNonce{},
		counts:  map[store.Key]modelCounts{},
	}
}

// clone returns an independent copy.
func (m *model) clone() *model {
	c := &model{now: m.now, records: maps.Clone(m.records), nonces: maps.Clone(m.nonces), counts: maps.Clone(m.counts)}
	for key, counts := range c.counts {
		counts.kinds = maps.Clone(counts.kinds)
		c.counts[key] = counts
	}
	return c
}

// advance moves the clock and removes everything that has ended.
func (m *model) advance(d time.Duration) {
	m.now += d
	maps.DeleteFunc(m.records, func(_ store.Key, r modelRecord) bool { return m.now >= r.end })
	maps.DeleteFunc(m.nonces, func(_ store.Key, n modelNonce) bool { return m.now >= n.end })
	maps.DeleteFunc(m.counts, func(_ store.Key, c modelCounts) bool { return m.now >= c.end })
}

func (m *model) Claim(_ context.Context, c store.Claim) (store.ClaimResult, error) {
	r, exists := m.records[c.Key]
	mine := exists && r.state == store.InProgress && r.owner == c.Owner
	started := c.Start
	replaced := exists && c.Replaces != (store.Owner{}) && r.owner == c.Replaces &&
		r.state != store.InProgress
	switch {
	case replaced:
		started = started || r.state == store.Unknown
	case exists:
		alive := r.state == store.InProgress && m.now < r.leaseEnd
		switch {
		case r.fingerprint != c.Fingerprint:
			return store.ClaimResult{Status: store.Conflicting}, nil
		case r.state == store.Completed, r.state == store.Failed:
			return store.ClaimResult{Status: store.Finished, State: r.state, Result: r.result}, nil
		case alive && !mine:
			return store.ClaimResult{Status: store.Running, LeaseLeft: r.leaseEnd - m.now}, nil
		case !mine && (r.state == store.Unknown || r.started) && !c.Rerun:
			return store.ClaimResult{Status: store.Abandoned}, nil
		}
		started = started || r.started || r.state == store.Unknown
	}
	if c.Budget.Limit > 0 && !mine && m.highest(c.Budget.Key) >= c.Budget.Limit {
		return store.ClaimResult{Status: store.Exhausted}, nil
	}
	if spent, exists := m.nonces[c.Nonce.Key]; exists && !mine && r.state == store.InProgress && !r.started &&
		spent.owner == r.owner {
		m.nonces[c.Nonce.Key] = modelNonce{owner: c.Owner, end: spent.end} // nothing ran for it
	}
	if c.Nonce != (store.Nonce{}) && !m.spend(c.Nonce, c.Owner) {
		return store.ClaimResult{Status: store.NonceSpent}, nil
	}
	m.records[c.Key] = modelRecord{
		fingerprint: c.Fingerprint, owner: c.Owner, state: store.InProgress, started: started,
		leaseEnd: m.now + c.Lease, end: m.now + c.Retention,
	}
	return store.ClaimResult{Status: store.Claimed}, nil
}

// held returns the record if the owner holds it in one of the states.
func (m *model) held(key store.Key, owner store.Owner, states ...store.RecordState) (modelRecord, error) {
	switch r, exists := m.records[key]; {
	case !exists, r.owner != owner, !slices.Contains(states, r.state):
		return r, store.ErrLost
	default:
		return r, nil
	}
}

func (m *model) Mark(_ context.Context, key store.Key, owner store.Owner) error {
	r, err := m.held(key, owner, store.InProgress)
	if err != nil {
		return err
	}
	r.started = true
	m.records[key] = r
	return nil
}

func (m *model) Renew(_ context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	r, err := m.held(key, owner, store.InProgress)
	if err != nil {
		return err
	}
	r.leaseEnd = m.now + lease
	r.end = max(r.end, r.leaseEnd)
	m.records[key] = r
	return nil
}

func (m *model) Complete(_ context.Context, c store.Completion) error {
	r, err := m.held(c.Key, c.Owner, store.InProgress, store.Unknown, store.Completed, store.Failed)
	switch {
	case err != nil:
		return err
	case r.state == store.Completed, r.state == store.Failed:
		return nil
	}
	delete(m.counts, c.Forget)
	if c.Retention <= 0 {
		delete(m.records, c.Key)
		return nil
	}
	r.state = c.State
	r.result = bytes.Clone(c.Result)
	r.end = m.now + c.Retention
	m.records[c.Key] = r
	return nil
}

func (m *model) Release(_ context.Context, r store.Release) error {
	_, err := m.held(r.Key, r.Owner, store.InProgress, store.Unknown)
	if err != nil {
		return err
	}
	delete(m.records, r.Key)
	if m.nonces[r.Nonce].owner == r.Owner {
		delete(m.nonces, r.Nonce)
	}
	return nil
}

func (m *model) Get(_ context.Context, key store.Key) (store.Record, error) {
	r, exists := m.records[key]
	if !exists {
		return store.Record{}, nil
	}
	seen := store.Record{
		State: r.state, Owner: r.owner, Started: r.started, Fingerprint: r.fingerprint,
		Result: r.result, ExpiresIn: r.end - m.now,
	}
	if r.state == store.InProgress {
		seen.LeaseLeft = r.leaseEnd - m.now
	}
	return seen, nil
}

func (m *model) Resolve(_ context.Context, key store.Key, f store.Settlement) error {
	r, exists := m.records[key]
	abandoned := r.state == store.Unknown || r.state == store.InProgress && r.started && m.now >= r.leaseEnd
	switch {
	case !exists:
		return store.ErrNotFound
	case !abandoned:
		return store.ErrNotUnknown
	case f == store.DidNotHappen:
		delete(m.records, key)
		return nil
	}
	r.state, r.result, r.owner = store.Completed, nil, store.Owner{}
	m.records[key] = r
	return nil
}

func (m *model) Spend(_ context.Context, n store.Nonce, by store.Owner) (bool, error) {
	return m.spend(n, by), nil
}

func (m *model) spend(n store.Nonce, by store.Owner) bool {
	if spent, exists := m.nonces[n.Key]; exists {
		return spent.owner == by
	}
	m.nonces[n.Key] = modelNonce{owner: by, end: m.now + n.TTL}
	return true
}

func (m *model) Add(_ context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	c, exists := m.counts[key]
	if !exists {
		c = modelCounts{kinds: map[string]int64{}, end: m.now + window}
		m.counts[key] = c
	}
	c.kinds[kind]++
	return c.kinds[kind], nil
}

func (m *model) Max(_ context.Context, key store.Key) (store.Count, error) {
	c, exists := m.counts[key]
	if !exists {
		return store.Count{}, nil
	}
	return store.Count{Highest: m.highest(key), WindowLeft: c.end - m.now}, nil
}

func (m *model) highest(key store.Key) (highest int64) {
	for _, n := range m.counts[key].kinds {
		highest = max(highest, n)
	}
	return highest
}

func (m *model) Reset(_ context.Context, key store.Key) error {
	delete(m.counts, key)
	return nil
}

func (m *model) IsLocal() bool { return true }

func (m *model) Epoch() string { return "" }
