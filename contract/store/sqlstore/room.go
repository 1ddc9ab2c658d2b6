package sqlstore

import (
	"database/sql"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

const (
	overBytes   = `SELECT sum(length(result)) FROM tc_records WHERE part = ? AND ends <= ?`
	overRecords = `DELETE FROM tc_records WHERE part = ? AND ends <= ?`
	overNonces  = `DELETE FROM tc_nonces WHERE part = ? AND ends <= ?`
	firstEnd    = `SELECT min(ends) FROM (SELECT min(ends) AS ends FROM tc_records WHERE part = ?
		UNION ALL SELECT min(ends) FROM tc_nonces WHERE part = ?) AS firsts`
)

// makeRoom returns a [*store.FullError] if the partition has no room for more
// entries. It removes those whose end has come only if that is needed.
func (t *step) makeRoom(entries int64) error {
	if entries == 0 || t.room.entries+entries <= t.maxEntries {
		return nil
	}
	if err := t.removeOver(); err != nil {
		return err
	}
	if t.room.entries+entries <= t.maxEntries {
		return nil
	}
	var ends sql.NullInt64
	if err := t.row(firstEnd, t.partition[:], t.partition[:]).Scan(&ends); err != nil {
		return err
	}
	return &store.FullError{RetryAfter: max(time.Duration(ends.Int64-t.now), 1)}
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
