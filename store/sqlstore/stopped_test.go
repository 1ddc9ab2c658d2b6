package sqlstore_test

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// A stopped process commits no transaction before the test resumes it.
type stopped struct {
	*sqlstore.Store

	completed chan struct{} // everything is written, and nothing is committed
	resume    chan struct{}
}

func stop(s *sqlstore.Store) stopped { return stopped{s, make(chan struct{}), make(chan struct{})} }

func (s stopped) Transaction(key store.Key, owner store.Owner) store.Transaction {
	return stoppedTx{s.Store.Transaction(key, owner), s}
}

type stoppedTx struct {
	store.Transaction

	process stopped
}

func (tx stoppedTx) Commit(ctx context.Context, c store.Completion) error {
	sqlstore.BeforeCommit(tx.Transaction, func() {
		tx.process.completed <- struct{}{}
		<-tx.process.resume
	})
	return tx.Transaction.Commit(ctx, c)
}

// endTransactions ends the connections that are idle in a transaction, as the
// server does once their processes are gone.
func endTransactions(t *testing.T, db *sql.DB) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND state = 'idle in transaction'`)
	require.NoError(t, err)
}

// A process stops between recording a call and the commit. Its principal's
// other calls go on, even with equal arguments. A call with the same key waits
// until the server has ended the transaction, and then runs.
func TestAtomic_AStoppedProcessHoldsUpOnlyItsKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		timeout time.Duration // of the tool
		end     func(t *testing.T, db *sql.DB)
	}{
		"until its connection ends": {time.Minute, endTransactions},
		"until its time is over":    {3 * time.Second, func(*testing.T, *sql.DB) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := servertest.Postgres(t)
			bookings(t, db)
			s := open(t, db, sqlstore.Postgres)
			budget := guard.WithRetryBudget(9, time.Hour)
			keyed := func(book contract.Handler[bookIn, bookOut]) *bookTool {
				return atomicTool(book).RateLimit(1e6, time.Second).Timeout(c.timeout).
					Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true, Atomic: true})
			}
			failing := dial(t, s, keyed(func(context.Context, bookIn) (bookOut, error) { return bookOut{}, errTaken }), budget)
			require.Equal(t, errTaken.Code(), failing.WithKey("a failure to forget").Call("visits.book", slot).Outcome.Code)

			process := stop(s)
			first := dial(t, process, keyed(booking), budget, guard.WithTimes(guard.Times{Lease: 6 * time.Second}))
			var wait sync.WaitGroup
			wait.Go(func() {
				r, err := first.WithKey("stopped").Try("visits.book", slot)
				assert.NoError(t, err)
				assert.NotEqual(t, contract.CodeOutcomeUnknown, r.Outcome.Code, r.Text)
			})
			<-process.completed

			second := dial(t, s, keyed(booking), budget)
			for range 2 {
				booked(t, second.WithKey("another").Call("visits.book", slot), 1)
			}
			assert.Equal(t, errTaken.Code(), failing.WithKey("a failure to count").Call("visits.book", slot).Outcome.Code)
			code := second.WithKey("stopped").Call("visits.book", slot).Outcome.Code
			assert.Equal(t, contract.CodeKeyInProgress, code)
			c.end(t, db)
			for end := time.Now().Add(time.Minute); code == contract.CodeKeyInProgress && time.Now().Before(end); {
				code = second.WithKey("stopped").Call("visits.book", slot).Outcome.Code
			}
			assert.Empty(t, code)
			close(process.resume)
			wait.Wait()
			assert.Equal(t, 2, count(t, db, "bookings"))
		})
	}
}

// paused stops a connection once, before a statement that starts with the given
// text.
type paused struct {
	statement      string
	reached, ended chan struct{}
	once           sync.Once
}

func (p *paused) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.HasPrefix(q.SQL, p.statement) {
		p.once.Do(func() {
			close(p.reached)
			<-p.ended
		})
	}
	return ctx
}

func (*paused) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// The server ends a step of a process that has stopped between two of its
// statements.
func TestPostgres_AStoppedProcessDoesNotKeepTheLockOfItsPrincipal(t *testing.T) {
	t.Parallel()
	url := servertest.PostgresURL(t)
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	pause := &paused{statement: "INSERT INTO tc_counts", reached: make(chan struct{}), ended: make(chan struct{})}
	config.Tracer = pause
	stopped := stdlib.OpenDB(*config)
	t.Cleanup(func() { require.NoError(t, stopped.Close()) })
	process := open(t, stopped, sqlstore.Postgres)
	counting := make(chan error, 1)
	go func() {
		_, err := process.Add(context.Background(), keyOf("ada", "counts"), "kind", time.Hour)
		counting <- err
	}()
	<-pause.reached

	s := open(t, opening("pgx")(t, url), sqlstore.Postgres)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	result, err := s.Claim(ctx, claimOf(keyOf("ada", "call")))
	require.NoError(t, err)
	assert.Equal(t, store.Claimed, result.Status)
	close(pause.ended)
	require.Error(t, <-counting)
	count, err := s.Max(ctx, keyOf("ada", "counts"))
	require.NoError(t, err)
	assert.Zero(t, count)
}
