package sqlstore_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// roundTrips counts the statements of a connection.
type roundTrips struct{ n atomic.Int64 }

func (r *roundTrips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	r.n.Add(1)
	return ctx
}

func (*roundTrips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestPostgres_CallsAreTwoRoundTripsAndReplaysOne(t *testing.T) {
	t.Parallel()
	config, err := pgx.ParseConfig(servertest.PostgresURL(t))
	require.NoError(t, err)
	var sent roundTrips
	config.Tracer = &sent
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s := open(t, db, sqlstore.Postgres)

	c := claimOf(keyOf("ada", "call"))
	c.Nonce = store.Nonce{Key: keyOf("ada", "nonce"), TTL: time.Hour}
	c.Budget = store.Budget{Key: keyOf("ada", "counts"), Limit: 2}
	_, err = s.Add(t.Context(), c.Budget.Key, "kind", time.Hour)
	require.NoError(t, err)
	sent.n.Store(0)
	result, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, store.Claimed, result.Status)
	require.NoError(t, s.Complete(t.Context(), store.Completion{
		Key: c.Key, Owner: c.Owner, State: store.Completed, Result: []byte("done"), Retention: time.Hour, Forget: c.Budget.Key,
	}))
	assert.EqualValues(t, 2, sent.n.Swap(0), "a call, with its nonce, its budget and what it forgets")

	again := claimOf(c.Key)
	result, err = s.Claim(t.Context(), again)
	require.NoError(t, err)
	assert.Equal(t, store.ClaimResult{Status: store.Finished, State: store.Completed, Result: []byte("done")}, result)
	assert.EqualValues(t, 1, sent.n.Swap(0), "a replay")

	c = claimed(t, s, "atomic")
	tx := s.Transaction(c.Key, c.Owner)
	_, err = sqlstore.Tx(tx.Context(t.Context()))
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context(), done(c)))
	assert.EqualValues(t, 7, sent.n.Swap(0), "an atomic call: its claim, the begin, the lock, the mark, the check at the end, "+
		"its completion, the commit")
}
