package sqlstore

import (
	"context"

	"github.com/toolcontract/toolcontract/store"
)

// The functions of PostgreSQL, each one round trip and one transaction.
const (
	claimInPostgres = `SELECT status, found_state, found_result, lease_left, clock
		FROM tc_claim(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	completeInPostgres = `SELECT status, clock FROM tc_complete(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// needsStep is the status of an operation that the functions leave to a step:
// an entry has expired, the partition has no room, or a claim needs the lock at
// a higher isolation level than READ COMMITTED. A step always runs at READ
// COMMITTED, a single statement at the database's default level.
const needsStep = 0

// claimAtOnce makes a claim in one round trip. If the status is needsStep
// nothing has changed.
func (s *operations) claimAtOnce(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	var a store.ClaimResult
	var replaced any
	if !c.Replaces.IsZero() {
		replaced = c.Replaces[:]
	}
	ran, err := s.invoke(ctx, s.db, claimInPostgres, []any{
		c.Key.Partition[:], c.Key.ID[:], c.Owner[:], c.Fingerprint[:], int64(c.Lease), int64(c.Retention), c.Start, c.Rerun,
		replaced, c.Nonce.Key.ID[:], int64(c.Nonce.TTL), c.Budget.Key.ID[:], c.Budget.Limit, s.maxEntries, s.maxBytes,
		int64(entryBytes),
	}, &a.Status, &a.State, &a.Result, &a.LeaseLeft)
	if !ran {
		return store.ClaimResult{Status: needsStep}, err
	}
	return a, nil
}

// completeAtOnce makes a completion in one round trip. late means that it is
// part of a call's transaction, in which case on is that transaction. If done
// is false nothing has changed.
func (s *operations) completeAtOnce(ctx context.Context, on DBTX, c store.Completion, late bool) (done bool, err error) {
	const lost = 2
	var forgotten, result any
	if !c.Forget.IsZero() {
		forgotten = c.Forget.ID[:]
	}
	if c.Result != nil {
		result = c.Result
	}
	status := 0
	ran, err := s.invoke(ctx, on, completeInPostgres, []any{
		c.Key.Partition[:], c.Key.ID[:], c.Owner[:], int64(c.State), result, int64(c.Retention), forgotten, s.maxBytes,
		int64(entryBytes), late,
	}, &status)
	if ran && status == lost {
		return true, store.ErrLost
	}
	return ran && status != needsStep, err
}

// invoke calls a function of the schema whose first argument shifts its clock in tests,
// and whose last result is the time. ran is false, without an error, if
// PostgreSQL rolled the function back because of another transaction.
func (s *operations) invoke(ctx context.Context, on DBTX, function string, args []any, results ...any) (ran bool, err error) {
	if ctx.Err() != nil {
		return false, failure(context.Cause(ctx))
	}
	args = append([]any{s.clockShift}, args...)
	var clock int64
	err = on.QueryRowContext(ctx, s.bound(function), args...).Scan(append(results, &clock)...)
	switch {
	case err == nil:
		s.sweepSometimes(clock)
		return true, nil
	case isLocked(err):
		return false, &lockedError{}
	case on == DBTX(s.db) && isRolledBack(err):
		return false, nil
	}
	return false, failure(err)
}
