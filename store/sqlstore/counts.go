package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

const (
	readCounts   = `SELECT max(n), max(ends), clock FROM tc_counts WHERE part = ? AND id = ?`
	readKind     = `SELECT n FROM tc_counts WHERE part = ? AND id = ? AND kind = ?`
	addKind      = `INSERT INTO tc_counts (n, ends, part, id, kind) VALUES (1, ?, ?, ?, ?)`
	countKind    = `UPDATE tc_counts SET n = ? WHERE part = ? AND id = ? AND kind = ?`
	removeCounts = `DELETE FROM tc_counts WHERE part = ? AND id = ?`
	nextWindow   = `SELECT id FROM tc_counts WHERE part = ? ORDER BY ends, id LIMIT 1`
)

// Add implements [store.Store]. A partition can have as many kinds as entries;
// beyond that, the counts whose window ends first are forgotten.
func (s *operations) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	switch {
	case key.IsZero():
		return 0, fmt.Errorf("%w: add: the key is zero", store.ErrInvalid)
	case window <= 0:
		return 0, fmt.Errorf("%w: add: the window is not positive", store.ErrInvalid)
	}
	digest := sha256.Sum256([]byte(kind))
	return take(ctx, s, key.Partition, func(t *step) (int64, error) {
		_, ends, err := t.highest(key)
		if err != nil {
			return 0, err
		}
		n := int64(0)
		err = t.row(readKind, key.Partition[:], key.ID[:], digest[:]).Scan(&n)
		switch {
		case err == nil:
			return n + 1, t.exec(countKind, n+1, key.Partition[:], key.ID[:], digest[:])
		case !errors.Is(err, sql.ErrNoRows):
			return 0, err
		case ends == 0:
			ends = t.in(window)
		}
		for t.room.kinds >= t.maxEntries {
			if err := t.forgetNext(); err != nil {
				return 0, err
			}
		}
		t.room.kinds++
		return 1, t.exec(addKind, ends, key.Partition[:], key.ID[:], digest[:])
	})
}

// highest returns the highest count of any kind and the end of the window, both
// zero if nothing was counted. It forgets counts whose window has ended.
func (t *step) highest(key store.Key) (n, ends int64, err error) {
	if t.room.kinds == 0 {
		return 0, 0, nil
	}
	n, ends, _, err = scanCounts(t.row(readCounts, key.Partition[:], key.ID[:]))
	if err == nil && ends != 0 && ends <= t.now {
		return 0, 0, t.forget(key)
	}
	return n, ends, err
}

func scanCounts(found *sql.Row) (n, ends, clock int64, err error) {
	var highest, end sql.NullInt64
	err = found.Scan(&highest, &end, &clock)
	return highest.Int64, end.Int64, clock, err
}

// forget removes the counts of a key.
func (t *step) forget(key store.Key) error {
	if t.room.kinds == 0 {
		return nil
	}
	n, err := t.change(removeCounts, key.Partition[:], key.ID[:])
	t.room.kinds -= n
	return err
}

// forgetNext removes the counts whose window ends first.
func (t *step) forgetNext() error {
	var id []byte
	err := t.row(nextWindow, t.partition[:]).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		t.room.kinds = 0
		return nil
	}
	if err != nil {
		return err
	}
	return t.forget(store.Key{Partition: t.partition, ID: store.Digest(id)})
}

// Max implements [store.Store].
func (s *operations) Max(ctx context.Context, key store.Key) (store.Count, error) {
	if key.IsZero() {
		return store.Count{}, fmt.Errorf("%w: max: the key is zero", store.ErrInvalid)
	}
	var n int64
	var left time.Duration
	err := s.read(ctx, readCounts, key, func(row *sql.Row) error {
		highest, ends, clock, err := scanCounts(row)
		if err == nil {
			n = highest
			left = time.Duration(ends - s.tell(clock))
		}
		return err
	})
	if err != nil || left <= 0 {
		return store.Count{}, err
	}
	return store.Count{Highest: n, WindowLeft: left}, nil
}

// Reset implements [store.Store].
func (s *operations) Reset(ctx context.Context, key store.Key) error {
	if key.IsZero() {
		return fmt.Errorf("%w: reset: the key is zero", store.ErrInvalid)
	}
	return change(ctx, s, key.Partition, func(t *step) error { return t.forget(key) })
}
