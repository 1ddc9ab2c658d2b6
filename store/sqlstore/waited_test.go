package sqlstore_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
)

// waits runs an operation that waits for the lock of a partition. It returns a
// time at which the operation waited already. Before the lock is free, it sets
// the column of a table to that time, if it gets one.
func waits(t *testing.T, db *sql.DB, table, column string, operation func() error) (since int64) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer tx.Rollback()
	_, err = tx.ExecContext(t.Context(), `SELECT part FROM tc_partitions FOR UPDATE`)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- operation() }()
	awaitWaiting(t, db)
	require.NoError(t, tx.QueryRowContext(t.Context(), `SELECT tc_clock(0)`).Scan(&since))
	if table != "" {
		_, err = tx.ExecContext(t.Context(), fmt.Sprintf(`UPDATE %s SET %s = %d`, table, column, since))
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit())
	require.NoError(t, <-ended)
	return since
}

// A time that an operation sets is counted from when it has the lock.
func TestStore_CountsATimeFromAfterTheLock(t *testing.T) {
	t.Parallel()
	db, s := inPostgres(t)
	renewed, completed := claimed(t, s, "renewed"), claimed(t, s, "completed")
	for name, operation := range map[string]struct {
		run  func() error
		ends string
	}{
		"claim": {func() error {
			c := claimOf(keyOf("ada", "claim"))
			c.Lease = time.Hour
			_, err := s.Claim(t.Context(), c)
			return err
		}, `SELECT max(lease) FROM tc_records`},
		"claim with a nonce": {func() error {
			c := claimOf(keyOf("ada", "claim with a nonce"))
			c.Nonce = store.Nonce{Key: keyOf("ada", "nonce of a claim"), TTL: time.Hour}
			_, err := s.Claim(t.Context(), c)
			return err
		}, `SELECT max(ends) FROM tc_nonces`},
		"renew": {func() error {
			return s.Renew(t.Context(), renewed.Key, renewed.Owner, time.Hour)
		}, `SELECT max(lease) FROM tc_records`},
		"complete": {func() error {
			return s.Complete(t.Context(), done(completed))
		}, `SELECT ends FROM tc_records WHERE state = 2`},
		"spend": {func() error {
			_, err := s.Spend(t.Context(), store.Nonce{Key: keyOf("ada", "nonce"), TTL: time.Hour}, store.NewOwner())
			return err
		}, `SELECT max(ends) FROM tc_nonces`},
		"add": {func() error {
			_, err := s.Add(t.Context(), keyOf("ada", "counts"), "kind", time.Hour)
			return err
		}, `SELECT max(ends) FROM tc_counts`},
	} {
		since := waits(t, db, "", "", operation.run)
		var ends int64
		require.NoError(t, db.QueryRowContext(t.Context(), operation.ends).Scan(&ends))
		assert.GreaterOrEqual(t, ends, since+int64(time.Hour), name)
	}
}

// A claim judges what it finds by the time after waiting: a lease, a nonce or a
// window that has ended meanwhile is over.
func TestClaim_JudgesByTheTimeAfterTheLock(t *testing.T) {
	t.Parallel()
	db, s := inPostgres(t)
	for table, c := range map[string]struct {
		column  string
		prepare func(t *testing.T, c *store.Claim)
	}{
		"tc_records": {"lease", func(t *testing.T, c *store.Claim) {
			t.Helper()
			other := claimOf(c.Key)
			other.Lease = time.Nanosecond
			_, err := s.Claim(t.Context(), other)
			require.NoError(t, err)
		}},
		"tc_nonces": {"ends", func(t *testing.T, c *store.Claim) {
			t.Helper()
			c.Nonce = store.Nonce{Key: keyOf("ada", "nonce"), TTL: time.Hour}
			_, err := s.Spend(t.Context(), c.Nonce, store.NewOwner())
			require.NoError(t, err)
		}},
		"tc_counts": {"ends", func(t *testing.T, c *store.Claim) {
			t.Helper()
			c.Budget = store.Budget{Key: keyOf("ada", "counts"), Limit: 1}
			_, err := s.Add(t.Context(), c.Budget.Key, "kind", time.Hour)
			require.NoError(t, err)
		}},
	} {
		claim := claimOf(keyOf("ada", table))
		c.prepare(t, &claim)
		var result store.ClaimResult
		waits(t, db, table, c.column, func() (err error) {
			result, err = s.Claim(t.Context(), claim)
			return err
		})
		assert.Equal(t, store.Claimed, result.Status, table)
	}
}
