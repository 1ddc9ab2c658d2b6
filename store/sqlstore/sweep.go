package sqlstore

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A sweep removes expired rows that no call asks for any more, such as those of
// principals that have left. It runs alongside calls, and its work is bounded.
const (
	sweepEvery = 64 // steps
	sweepRows  = 256
	sweepLimit = 10 * time.Second
)

// expiredKeys has the queries for expired keys, oldest first.
var expiredKeys = []string{
	`SELECT part, id FROM tc_records WHERE ends <= ? ORDER BY ends LIMIT ?`,
	`SELECT part, id FROM tc_nonces WHERE ends <= ? ORDER BY ends LIMIT ?`,
	`SELECT part, id FROM tc_counts WHERE ends <= ? ORDER BY ends LIMIT ?`,
}

// sweepSometimes starts a sweep after each sweepEvery steps, unless one runs.
func (s *operations) sweepSometimes(now int64) {
	if s.steps.Add(1)%sweepEvery != 0 || !s.sweeping.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer s.sweeping.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), sweepLimit)
		defer cancel()
		_ = s.sweep(ctx, now) // the next sweep finds what this one leaves behind
	}()
}

// sweep removes the entries that it finds, partition by partition. It skips
// records that a call's transaction has locked.
func (s *operations) sweep(ctx context.Context, now int64) error {
	found := map[store.Digest]map[store.Digest]bool{}
	for _, query := range expiredKeys {
		if err := s.collect(ctx, query, now, found); err != nil {
			return err
		}
	}
	for partition, ids := range found {
		_, err := follow(ctx, s, plan{partition: partition, relaxed: true}, func(t *step) (none struct{}, err error) {
			t.sweeps = true
			for id := range ids {
				if err := t.removeIfExpired(store.Key{Partition: partition, ID: id}); err != nil {
					return none, err
				}
			}
			return none, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *operations) collect(ctx context.Context, query string, now int64, found map[store.Digest]map[store.Digest]bool) error {
	rows, err := s.db.QueryContext(ctx, s.bound(query), now, sweepRows)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err returns the error
	for rows.Next() {
		var partition, id []byte
		if err := rows.Scan(&partition, &id); err != nil {
			return err
		}
		ids := found[store.Digest(partition)]
		if ids == nil {
			ids = map[store.Digest]bool{}
			found[store.Digest(partition)] = ids
		}
		ids[store.Digest(id)] = true
	}
	return rows.Err()
}

// removeIfExpired removes the expired entries of a key.
func (t *step) removeIfExpired(key store.Key) error {
	if _, err := t.find(key); err != nil {
		return err
	}
	if _, _, err := t.spender(key); err != nil {
		return err
	}
	_, _, err := t.highest(key)
	return err
}
