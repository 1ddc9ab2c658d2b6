package storetest

import (
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A model says what a store has to answer. It is written from the rules alone, with instants where a store
// may have durations, so that a mistake in the words that stores share does not hide itself.
type model struct {
	now     time.Duration
	records map[store.Key]*modelRecord
	nonces  map[store.Key]modelNonce
	counts  map[store.Key]modelCount
}

type modelRecord struct {
	fingerprint store.Digest
	owner       store.Owner
	// Exactly one of working, doubtful and finished.
	phase   phase
	begun   bool
	outcome store.State
	result  []byte
	lives   time.Duration // until when the owner is believed to
	exists  time.Duration // until when
}

type phase uint8

const (
	working phase = iota + 1
	doubtful
	finished
)

type modelNonce struct {
	owner  store.Owner
	exists time.Duration
}

type modelCount struct {
	n      int64 // of the one kind there is
	exists time.Duration
}

func newModel() *model {
	return &model{
		records: map[store.Key]*modelRecord{},
		nonces:  map[store.Key]modelNonce{},
		counts:  map[store.Key]modelCount{},
	}
}

func (m *model) advance(d time.Duration) {
	m.now += d
	for key, r := range m.records {
		if m.now >= r.exists {
			delete(m.records, key)
		}
	}
	for key, n := range m.nonces {
		if m.now >= n.exists {
			delete(m.nonces, key)
		}
	}
	for key, c := range m.counts {
		if m.now >= c.exists {
			delete(m.counts, key)
		}
	}
}

// claim also reports whether it is left open if the record counts as started.
func (m *model) claim(c store.Claim) (answer store.ClaimResult, open bool) {
	r, there := m.records[c.Key]
	begun, own := c.Start, false
	if there {
		if r.fingerprint != c.Fingerprint {
			return store.ClaimResult{Status: store.Conflicting}, false
		}
		if r.phase == finished {
			return store.ClaimResult{Status: store.Finished, State: r.outcome, Result: r.result}, false
		}
		mine := r.phase == working && r.owner == c.Owner
		if left := r.lives - m.now; r.phase == working && !mine && left > 0 {
			return store.ClaimResult{Status: store.Running, LeaseLeft: left}, false
		}
		if !mine && (r.phase == doubtful || r.begun) {
			if !c.Rerun {
				return store.ClaimResult{Status: store.Abandoned}, false
			}
			open = !c.Start
		}
		begun, own = c.Start || mine && r.begun, mine
	}
	if c.Budget.Limit > 0 && !own && m.counts[c.Budget.Key].n >= c.Budget.Limit {
		return store.ClaimResult{Status: store.Exhausted}, false
	}
	if c.Nonce != (store.Nonce{}) && !m.spend(c.Nonce, c.Owner) {
		return store.ClaimResult{Status: store.NonceSpent}, false
	}
	m.records[c.Key] = &modelRecord{
		fingerprint: c.Fingerprint, owner: c.Owner, phase: working, begun: begun,
		lives: m.now + c.Lease, exists: m.now + c.Retention,
	}
	return store.ClaimResult{Status: store.Claimed}, open
}

func (m *model) spend(n store.Nonce, owner store.Owner) bool {
	if spent, there := m.nonces[n.Key]; there {
		return spent.owner == owner
	}
	m.nonces[n.Key] = modelNonce{owner: owner, exists: m.now + n.TTL}
	return true
}

func (m *model) add(key store.Key, window time.Duration) int64 {
	c, there := m.counts[key]
	if !there {
		c.exists = m.now + window
	}
	c.n++
	m.counts[key] = c
	return c.n
}

// of returns the record that an owner has in one of the phases.
func (m *model) of(key store.Key, owner store.Owner, phases ...phase) (*modelRecord, error) {
	if r, there := m.records[key]; there && r.owner == owner && slices.Contains(phases, r.phase) {
		return r, nil
	}
	return nil, store.ErrLost
}

func (m *model) mark(key store.Key, owner store.Owner) error {
	r, err := m.of(key, owner, working)
	if err == nil {
		r.begun = true
	}
	return err
}

func (m *model) renew(key store.Key, owner store.Owner, lease time.Duration) error {
	r, err := m.of(key, owner, working)
	if err == nil {
		r.lives = m.now + lease
		r.exists = max(r.exists, r.lives)
	}
	return err
}

func (m *model) complete(c store.Completion) error {
	r, err := m.of(c.Key, c.Owner, working, doubtful, finished)
	switch {
	case err != nil:
		return err
	case r.phase == finished:
		return nil
	}
	delete(m.counts, c.Forget)
	if c.Retention <= 0 {
		delete(m.records, c.Key)
		return nil
	}
	r.phase = finished
	if c.State == store.Unknown {
		r.phase = doubtful
	}
	r.outcome, r.result, r.exists = c.State, c.Result, m.now+c.Retention
	return nil
}

func (m *model) release(key store.Key, owner store.Owner) error {
	_, err := m.of(key, owner, working, doubtful)
	if err == nil {
		delete(m.records, key)
	}
	return err
}

func (m *model) resolve(key store.Key, resolution store.Finding) error {
	r, there := m.records[key]
	switch {
	case !there:
		return store.ErrNotFound
	case r.phase == finished, r.phase == working && (m.now < r.lives || !r.begun):
		return store.ErrNotUnknown
	case resolution == store.DidNotHappen:
		delete(m.records, key)
		return nil
	}
	r.phase, r.outcome, r.result, r.owner = finished, store.Completed, nil, store.Owner{}
	return nil
}

func (m *model) get(key store.Key) store.Record {
	r, there := m.records[key]
	if !there {
		return store.Record{}
	}
	seen := store.Record{
		State: r.outcome, Owner: r.owner, Started: r.begun, Fingerprint: r.fingerprint,
		Result: r.result, ExpiresIn: r.exists - m.now,
	}
	if r.phase == working {
		seen.State, seen.LeaseLeft = store.InProgress, r.lives-m.now
	}
	return seen
}
