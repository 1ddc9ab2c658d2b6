package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// forgetRows is how many records one step forgets, so that calls need not wait
// long for its locks.
const forgetRows = 500

// The statements of a step that forgets. The record of a running call stays. So
// does an abandoned one that is locked by the transaction of a call that runs
// again and whose lease has ended.
const (
	endedRecords     = `SELECT id, length(result) FROM tc_records WHERE part = ? AND id > ? AND state <> 1 ORDER BY id LIMIT ?`
	abandonedRecords = `SELECT id, length(result) FROM tc_records WHERE part = ? AND id > ?
		AND state = 1 AND started = 1 AND lease <= ? ORDER BY id LIMIT ?`
	forgetCounts = `DELETE FROM tc_counts WHERE part = ?`
)

// Forget removes what is known about a principal's calls, for example at the
// principal's request: records with their results, open questions and their
// answers, declines and counts. It returns how many records it removed. The
// scope's Tool is ignored. The same calls then run again, even if their outcome
// was unknown.
//
// Records of running calls and spent nonces stay until they expire, so that no
// person's answer counts twice. They contain neither names nor arguments.
//
// In SQLite, Forget overwrites the bytes of the removed rows and empties the
// write-ahead log, which has earlier copies of them. If other transactions
// prevent that for five seconds, the error wraps [store.ErrBusy]: the records
// are removed, but their bytes are still in the log. Rows that were removed or
// moved earlier are overwritten if each connection has the pragma
// secure_delete(ON), as package sqlitefile's do. PostgreSQL keeps removed rows
// until their table is vacuumed.
func (s *Store) Forget(ctx context.Context, principal store.Scope) (records int64, err error) {
	partition := principal.Key("").Partition
	if records, err = s.operations.forget(ctx, partition); err == nil {
		err = s.operations.emptyLog(ctx)
	}
	if err != nil {
		return records, fmt.Errorf("sqlstore: Forget: %w", err)
	}
	return records, nil
}

func (s *operations) forget(ctx context.Context, partition store.Digest) (records int64, err error) {
	for _, abandoned := range []bool{false, true} {
		n, err := s.forgetPart(ctx, partition, abandoned)
		records += n
		if err != nil {
			return records, err
		}
	}
	return records, nil
}

// forgetPart forgets the counts of a partition, and either its finished or its
// abandoned records.
func (s *operations) forgetPart(ctx context.Context, partition store.Digest, abandoned bool) (records int64, err error) {
	type part struct {
		last    store.Digest
		records int64
	}
	for done := (part{}); ; {
		done, err = take(ctx, s, partition, func(t *step) (next part, err error) {
			if err := t.overwrite(); err != nil {
				return next, err
			}
			if done.records == 0 {
				n, err := t.change(forgetCounts, t.partition[:])
				if err != nil {
					return next, err
				}
				t.room.kinds -= n
			}
			next.last, next.records, err = t.forgetRecords(done.last, abandoned)
			return next, err
		})
		if err != nil || done.records == 0 {
			return records, err
		}
		records += done.records
	}
}

// emptyLogLimit bounds how long Forget waits for other transactions.
const emptyLogLimit = 5 * time.Second

// emptyLog moves SQLite's write-ahead log into the database file. The log still
// has the pages from before a removal.
func (s *operations) emptyLog(ctx context.Context) error {
	if s.dialect != SQLite {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, emptyLogLimit)
	defer cancel()
	for {
		var busy, pages, moved int
		err := s.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
		switch {
		case err == nil && busy == 0:
			return nil
		case err != nil && !isRolledBack(err) && ctx.Err() == nil:
			return failure(err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: the records are removed, but the log of the file still has their bytes, because others use it; "+
				"try again, or end the processes that use the file", store.ErrBusy)
		case <-time.After(s.busyTimeout / 10):
		}
	}
}

// overwrite makes SQLite overwrite what the connection removes.
func (t *step) overwrite() error {
	if t.dialect != SQLite {
		return nil
	}
	return t.exec("PRAGMA secure_delete = ON")
}

// forgetRecords removes the records of the partition that follow an ID, either
// the finished or the abandoned ones. It returns the ID of the last one and
// their number. It waits for the locks of finished records, which no call holds
// for long.
func (t *step) forgetRecords(after store.Digest, abandoned bool) (last store.Digest, n int64, err error) {
	query := endedRecords
	args := []any{t.partition[:], after[:]}
	if abandoned {
		query = t.skipLocked(abandonedRecords)
		args = append(args, t.now)
	}
	found, err := t.entries(query, append(args, forgetRows)...)
	if err != nil || len(found) == 0 {
		return last, 0, err
	}
	copy(last[:], found[len(found)-1].id)
	return last, int64(len(found)), t.removeAll(removeRecord, found)
}
