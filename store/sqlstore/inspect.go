package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A Summary tells an operator what a database contains.
type Summary struct {
	// Principals is the number of principals with entries.
	Principals int64
	// Records is the number of records in each state. Abandoned ones count as
	// [store.Unknown]; see [store.Record.IsAbandoned].
	Records map[store.RecordState]int64
	// Nonces is the number of spent nonces, and Counts that of counts.
	Nonces, Counts int64
	// ResultBytes is the size of all results.
	ResultBytes int64
	// Unknown lists the records with an unknown outcome, oldest first, at most
	// 100 of them.
	Unknown []UnknownRecord
}

// An UnknownRecord is a record whose outcome an operator can settle with
// [store.Store.Resolve].
type UnknownRecord struct {
	// Key is the lookup key in the audit log.
	Key store.Key
	// Since is when the execution last counted as running.
	Since time.Time
	// Until is when the record expires, so that the same call runs again.
	Until time.Time
}

// shownUnknown is how many unknown outcomes a summary lists.
const shownUnknown = 100

// The queries of a summary. now is the clock of the database.
const (
	isAbandoned = `(state = 4 OR state = 1 AND started = 1 AND lease <= now)`

	recordsByState = `SELECT CASE WHEN ` + isAbandoned + ` THEN 4 ELSE state END AS how, count(*),
		sum(coalesce(length(result), 0)) FROM tc_records WHERE ends > now GROUP BY how`
	oldestUnknown = `SELECT part, id, owner, lease, ends FROM tc_records WHERE ends > now AND ` + isAbandoned + `
		ORDER BY lease, id`
	othersOf = `SELECT (SELECT count(*) FROM tc_partitions), (SELECT count(*) FROM tc_nonces WHERE ends > now),
		(SELECT count(*) FROM tc_counts WHERE ends > now)`
)

// Inspect returns what a database contains, without expired entries. It reads
// all records, changes nothing, and needs no particular settings of the
// database. If there are no tables, or they have another version, it returns an
// error.
func Inspect(ctx context.Context, db *sql.DB, dialect Dialect) (Summary, error) {
	s, err := ofDatabase("Inspect", db, dialect)
	if err != nil {
		return Summary{}, err
	}
	version, err := s.version(ctx)
	if err == nil {
		err = s.checkVersion(version)
	}
	if err != nil {
		return Summary{}, err
	}
	found := Summary{Records: map[store.RecordState]int64{}}
	err = errors.Join(
		s.each(ctx, recordsByState, func(scan scanner) error {
			var state store.RecordState
			var n, bytes int64
			err := scan(&state, &n, &bytes)
			found.Records[state] = n
			found.ResultBytes += bytes
			return err
		}),
		s.each(ctx, othersOf, func(scan scanner) error { return scan(&found.Principals, &found.Nonces, &found.Counts) }),
		s.each(ctx, oldestUnknown, func(scan scanner) error {
			var partition, id, owner []byte
			var lease, ends int64
			err := scan(&partition, &id, &owner, &lease, &ends)
			switch {
			case err != nil:
				return err
			case store.Owner(owner).IsFree(): // the next call takes it
				found.Records[store.Unknown]--
				return nil
			case len(found.Unknown) == shownUnknown:
				return nil
			}
			found.Unknown = append(found.Unknown, UnknownRecord{
				Key:   store.Key{Partition: store.Digest(partition), ID: store.Digest(id)},
				Since: time.Unix(0, lease), Until: time.Unix(0, ends),
			})
			return nil
		}),
	)
	if err != nil {
		return Summary{}, fmt.Errorf("sqlstore: Inspect: the database does not answer: %w", err)
	}
	return found, nil
}

type scanner func(to ...any) error

// each calls a function for each row of a query about the whole database.
func (s *operations) each(ctx context.Context, query string, row func(scanner) error) error {
	now := s.dialect.clock()
	if s.dialect == SQLite {
		now = fmt.Sprint(time.Now().UnixNano())
	}
	rows, err := s.db.QueryContext(ctx, strings.ReplaceAll(strings.ReplaceAll(query, "> now", "> "+now), "<= now", "<= "+now))
	if err != nil {
		return failure(err)
	}
	defer rows.Close() //nolint:errcheck // Err returns the error
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return failure(err)
		}
	}
	if err := rows.Err(); err != nil {
		return failure(err)
	}
	return nil
}
