package sqlstore

import (
	"database/sql"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// The statements that make room. Each query returns the ID of an entry and the
// size of its result.
const (
	dueRecords    = `SELECT id, length(result) FROM tc_records WHERE part = ? AND ends <= ? ORDER BY id LIMIT 100`
	dueNonces     = `SELECT id, 0 FROM tc_nonces WHERE part = ? AND ends <= ? ORDER BY id LIMIT 100`
	oldestResults = `SELECT id, length(result) FROM tc_records WHERE part = ? AND done > 0 AND id <> ? ORDER BY done, id LIMIT 500`
	dropResult    = `UPDATE tc_records SET result = NULL, done = 0 WHERE part = ? AND id = ?`
	firstEnd      = `SELECT min(ends) FROM (SELECT min(ends) AS ends FROM tc_records WHERE part = ?
		UNION ALL SELECT min(ends) FROM tc_nonces WHERE part = ?) AS firsts`
)

// makeRoom returns a [*store.FullError] if the partition has no room for more
// entries.
func (t *step) makeRoom(entries int64) error {
	fits, err := t.fits(entries, 0, store.Digest{})
	if err != nil || fits {
		return err
	}
	var ends sql.NullInt64
	if err := t.row(firstEnd, t.partition[:], t.partition[:]).Scan(&ends); err != nil {
		return err
	}
	return &store.FullError{RetryAfter: max(time.Duration(ends.Int64-t.now), 1)}
}

// fits makes room for more entries, or for the result of the record own, and
// reports whether there is room. Only if needed, it removes expired entries,
// some at a time, and then drops results, the oldest first. It drops none if
// that would not be enough.
func (t *step) fits(entries, size int64, own store.Digest) (bool, error) {
	for {
		count := t.room.entries + entries
		room := t.maxBytes - count*entryBytes - size
		isFull := entries > 0 && count > t.maxEntries || room < 0
		if entries == 0 && size == 0 || !isFull && t.room.bytes <= room {
			return true, nil
		}
		removed, err := t.removeExpired()
		switch {
		case err != nil:
			return false, err
		case removed:
		case isFull:
			return false, nil
		default:
			return true, t.drop(t.room.bytes-room, own)
		}
	}
}

// drop removes results of at least the given number of bytes, the oldest first,
// but never that of own.
func (t *step) drop(bytes int64, own store.Digest) error {
	for bytes > 0 {
		oldest, err := t.entries(oldestResults, t.partition[:], own[:])
		if err != nil {
			return err
		}
		if len(oldest) == 0 {
			t.room.bytes = 0 // there is no other result
			return nil
		}
		n := 0
		for n < len(oldest) && bytes > 0 {
			bytes -= oldest[n].bytes
			t.room.bytes -= oldest[n].bytes
			n++
		}
		if err := t.execEach(dropResult, oldest[:n]); err != nil {
			return err
		}
	}
	return nil
}

// removeExpired removes some expired entries of the partition, and reports
// whether there were any.
func (t *step) removeExpired() (removed bool, err error) {
	for query, remove := range map[string]string{t.skipLocked(dueRecords): removeRecord, dueNonces: removeNonce} {
		over, err := t.entries(query, t.partition[:], t.now)
		if err == nil {
			err = t.removeAll(remove, over)
		}
		if err != nil {
			return false, err
		}
		removed = removed || len(over) > 0
	}
	return removed, nil
}
