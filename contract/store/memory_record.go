package store

import (
	"slices"
	"time"
)

// memoryRecord is a [Record] with instants in place of durations.
type memoryRecord struct {
	owner       Owner
	fingerprint Digest
	leaseEnd    time.Duration
	result      []byte // never changed, so that it can be copied without the lock
	body        body
	state       State
	started     bool
}

// record returns the record under a key, nil where there is none or it has expired.
func (m *Memory) record(key Key) *entry[memoryRecord] {
	e := m.records.entries[key]
	if e != nil && e.end <= m.now {
		m.forget(e)
		return nil
	}
	return e
}

// owned returns the record under a key where the owner has it in one of the states, else nil.
func (m *Memory) owned(key Key, owner Owner, states ...State) *entry[memoryRecord] {
	e := m.record(key)
	if e == nil || e.value.owner != owner || !slices.Contains(states, e.value.state) {
		return nil
	}
	return e
}

// forget removes a record with its result.
func (m *Memory) forget(e *entry[memoryRecord]) {
	m.bodies.remove(e)
	m.records.remove(e)
}

// show returns a record as it is now. Its result is the store's own.
func (m *Memory) show(e *entry[memoryRecord]) Record {
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
