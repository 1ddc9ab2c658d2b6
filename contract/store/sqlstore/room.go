package sqlstore

import (
	"database/sql"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

const (
	overBytes     = `SELECT sum(length(result)) FROM tc_records WHERE part = ? AND ends <= ?`
	overRecords   = `DELETE FROM tc_records WHERE part = ? AND ends <= ?`
	overNonces    = `DELETE FROM tc_nonces WHERE part = ? AND ends <= ?`
	oldestResults = `SELECT done, id, length(result) FROM tc_records WHERE part = ? AND done > 0 AND id <> ?
		ORDER BY done, id LIMIT 500`
	dropResults = `UPDATE tc_records SET result = NULL, done = 0 WHERE part = ? AND done > 0 AND id <> ?
		AND (done < ? OR done = ? AND id <= ?)`
	firstEnd = `SELECT min(ends) FROM (SELECT min(ends) AS ends FROM tc_records WHERE part = ?
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
// reports whether there is room. It removes the entries whose end has come only
// if that is needed, and then drops results, the oldest first. It drops none if
// that would not be enough.
func (t *step) fits(entries, size int64, own store.Digest) (bool, error) {
	for swept := false; ; swept = true {
		count := t.room.entries + entries
		room := t.maxBytes - count*entryBytes - size
		isFull := entries > 0 && count > t.maxEntries || room < 0
		switch {
		case entries == 0 && size == 0, !isFull && t.room.bytes <= room:
			return true, nil
		case isFull && swept:
			return false, nil
		case swept:
			return true, t.drop(t.room.bytes-room, own)
		}
		if err := t.removeOver(); err != nil {
			return false, err
		}
	}
}

// drop removes results of at least so many bytes, the oldest first, but not
// that of own.
func (t *step) drop(bytes int64, own store.Digest) error {
	part := t.partition[:]
	for bytes > 0 {
		done, id, freed, err := t.oldest(bytes, own)
		if err != nil {
			return err
		}
		if freed == 0 {
			t.room.bytes = 0 // there is no other result
			return nil
		}
		if err := t.exec(dropResults, part, own[:], done, done, id); err != nil {
			return err
		}
		bytes -= freed
		t.room.bytes -= freed
	}
	return nil
}

// oldest returns the bytes of the oldest results, until they are enough or some
// hundred, and the time and the record of the last one.
func (t *step) oldest(enough int64, own store.Digest) (done int64, id []byte, bytes int64, err error) {
	rows, err := t.tx.QueryContext(t.ctx, t.bound(oldestResults), t.partition[:], own[:])
	if err != nil {
		return 0, nil, 0, err
	}
	defer rows.Close() //nolint:errcheck // Err has the error
	for bytes < enough && rows.Next() {
		var size int64
		if err := rows.Scan(&done, &id, &size); err != nil {
			return 0, nil, 0, err
		}
		bytes += size
	}
	return done, id, bytes, rows.Err()
}

// removeOver removes the entries of the partition whose end has come.
func (t *step) removeOver() error {
	var bytes sql.NullInt64
	if err := t.row(overBytes, t.partition[:], t.now).Scan(&bytes); err != nil {
		return err
	}
	t.room.bytes -= bytes.Int64
	for _, statement := range []string{overRecords, overNonces} {
		n, err := t.removed(statement, t.partition[:], t.now)
		if err != nil {
			return err
		}
		t.room.entries -= n
	}
	return nil
}
