package sqlstore

import (
	"database/sql"
	"errors"
)

// An entry is a record or a nonce of the partition of a step.
type entry struct {
	id    []byte
	bytes int64 // of its result
}

// skipLocked makes a query for records lock those that it finds, and skip those
// that a call's transaction has locked. A step must not wait for such a
// transaction, which needs the lock of the partition to end.
func (t *step) skipLocked(query string) string {
	if t.dialect == SQLite {
		return query
	}
	return query + " FOR UPDATE SKIP LOCKED"
}

// entries returns what a query finds.
func (t *step) entries(query string, args ...any) (found []entry, err error) {
	rows, err := t.tx.QueryContext(t.ctx, t.bound(query), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err returns the error
	for rows.Next() {
		var e entry
		var bytes sql.NullInt64
		if err := rows.Scan(&e.id, &bytes); err != nil {
			return nil, err
		}
		e.bytes = bytes.Int64
		found = append(found, e)
	}
	return found, errors.Join(rows.Err(), rows.Close())
}

// execEach runs a statement once for each entry.
func (t *step) execEach(statement string, entries []entry) error {
	if len(entries) == 0 {
		return nil
	}
	prepared, err := t.tx.PrepareContext(t.ctx, t.bound(statement))
	if err != nil {
		return err
	}
	defer prepared.Close() //nolint:errcheck // the statements have run
	for _, e := range entries {
		if _, err := prepared.ExecContext(t.ctx, t.partition[:], e.id); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes entries by a statement.
func (t *step) removeAll(statement string, entries []entry) error {
	for _, e := range entries {
		t.room.entries--
		t.room.bytes -= e.bytes
	}
	return t.execEach(statement, entries)
}
