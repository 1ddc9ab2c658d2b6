package sqlstore

import (
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

const (
	readRecord = `SELECT state, owner, started, fingerprint, result, lease, ends, clock FROM tc_records
		WHERE part = ? AND id = ?`
	addRecord = `INSERT INTO tc_records (state, owner, started, fingerprint, result, lease, ends, done, part, id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (part, id) DO NOTHING`
	setRecord = `UPDATE tc_records SET state = ?, owner = ?, started = ?, fingerprint = ?, result = ?, lease = ?, ends = ?,
		done = ? WHERE part = ? AND id = ?`
	// completeRecord is for SQLite, with the values of setRecord. lease is the time.
	completeRecord = `UPDATE tc_records SET state = ?1, result = ?5, ends = ?7, done = ?8 WHERE part = ?9 AND id = ?10
		AND owner = ?2 AND state = 1 AND started = ?3 AND result IS NULL AND ends > ?6`
	removeRecord = `DELETE FROM tc_records WHERE part = ? AND id = ?`
)

// A row is a row of tc_records.
type row struct {
	state       store.RecordState
	owner       store.Owner
	started     bool
	fingerprint store.Digest
	result      []byte
	lease, ends int64 // in nanoseconds since 1970
}

// scan returns nil if there is no row. clock is the database's time.
func scan(found *sql.Row) (r *row, clock int64, err error) {
	r = new(row)
	var owner, fingerprint []byte
	var started int64
	var result sql.Null[[]byte]
	err = found.Scan(&r.state, &owner, &started, &fingerprint, &result, &r.lease, &r.ends, &clock)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, nil
	}
	copy(r.owner[:], owner)
	copy(r.fingerprint[:], fingerprint)
	r.started = started != 0
	if result.Valid {
		r.result = append([]byte{}, result.V...)
	}
	return r, clock, err
}

// record returns a record as of an instant, or the zero Record if the row is
// nil or has expired.
func (r *row) record(now int64) store.Record {
	if r == nil || r.ends <= now {
		return store.Record{}
	}
	record := store.Record{
		State: r.state, Owner: r.owner, Started: r.started, Fingerprint: r.fingerprint, Result: r.result,
		ExpiresIn: time.Duration(r.ends - now),
	}
	if r.state == store.InProgress {
		record.LeaseLeft = time.Duration(r.lease - now)
	}
	return record
}

// find returns the record of a key, or nil. It removes an expired one. It does
// not wait for a call's transaction, because a step holds the lock of the
// partition, which that transaction needs to end.
func (t *step) find(key store.Key) (*row, error) {
	lock := t.forUpdate()
	switch {
	case lock == "":
	case t.sweeps:
		lock += " SKIP LOCKED"
	default:
		lock += " NOWAIT"
	}
	r, _, err := scan(t.row(readRecord+lock, key.Partition[:], key.ID[:]))
	if isLocked(err) {
		return nil, &lockedError{key}
	}
	if r == nil || err != nil {
		return nil, err
	}
	if r.ends <= t.now {
		return nil, t.remove(key, r)
	}
	return r, nil
}

// owned is find for a record that an owner holds in one of the states. The
// error is [store.ErrLost] if it does not.
func (t *step) owned(key store.Key, owner store.Owner, states ...store.RecordState) (*row, error) {
	r, err := t.find(key)
	if err == nil && (r == nil || r.owner != owner || !slices.Contains(states, r.state)) {
		err = store.ErrLost
	}
	return r, err
}

func (t *step) add(key store.Key, r *row) error {
	t.room.entries++
	return t.write(addRecord, key, r)
}

// set replaces a record whose result was bytes long.
func (t *step) set(key store.Key, r *row, bytes int) error {
	t.room.bytes += int64(len(r.result) - bytes)
	return t.write(setRecord, key, r)
}

// write writes a record, whose result, if any, was recorded in this step. The
// error is errUnplanned if the statement writes none.
func (t *step) write(statement string, key store.Key, r *row) error {
	var result any
	if r.result != nil {
		result = r.result
	}
	done := int64(0)
	if len(r.result) > 0 {
		done = t.now
	}
	started := 0
	if r.started {
		started = 1
	}
	n, err := t.change(statement, int64(r.state), r.owner[:], started, r.fingerprint[:], result, r.lease, r.ends, done,
		key.Partition[:], key.ID[:])
	if err == nil && n == 0 {
		err = errUnplanned
	}
	return err
}

func (t *step) remove(key store.Key, r *row) error {
	t.room.entries--
	t.room.bytes -= int64(len(r.result))
	return t.exec(removeRecord, key.Partition[:], key.ID[:])
}
