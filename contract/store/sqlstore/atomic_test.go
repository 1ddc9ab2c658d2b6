package sqlstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/contracttest"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/contract/store/sqlstore"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type bookIn struct {
	Slot string `json:"slot"`
}

type bookOut struct {
	Number int64 `json:"number"`
}

var (
	errClosed = contract.Fatal("desk_closed", "The desk is closed.")
	errTaken  = contract.Retryable("desk_busy", "The desk is busy.")
)

// booking is the handler of the tests: it adds a row to a table without a
// unique key, and returns the number of rows.
func booking(ctx context.Context, _ bookIn) (bookOut, error) {
	tx, err := sqlstore.Tx(ctx)
	if err != nil {
		return bookOut{}, err
	}
	if _, err := tx.ExecContext(ctx, addBooking); err != nil {
		return bookOut{}, err
	}
	var out bookOut
	return out, tx.QueryRowContext(ctx, `SELECT count(*) FROM bookings`).Scan(&out.Number)
}

type bookTool = contract.Builder[bookIn, bookOut]

func atomicTool(book contract.Handler[bookIn, bookOut]) *bookTool {
	return contract.New("visits.book", book).Description("Books a visit.").Version("1.0.0").Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).NoPermissions("The desk is open.").Failures(errClosed, errTaken).Idempotency(contract.Idempotency{
		Mode: idempotency.Managed, KeyFields: []string{"slot"}, Atomic: true,
	})
}

// desk is a process that serves a tool on a store.
func desk(t testing.TB, s store.Store, tool *bookTool, opts ...guard.Option) *contracttest.Client {
	t.Helper()
	all := append([]guard.Option{
		guard.WithStore(s), guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithNamespace("desk"),
		guard.WithRetryBudget(0, 0), guard.WithLogger(slog.New(slog.DiscardHandler)),
	}, opts...)
	return contracttest.NewClient(t, []*contract.Tool{tool.MustBuild()}, all...).
		As(contract.Principal{Issuer: "test", Subject: "ada"})
}

var slot = bookIn{"9:00"}

// onEach runs a test on each kind of database, with the table of bookings.
func onEach(t *testing.T, test func(t *testing.T, db *sql.DB, s *sqlstore.Store)) {
	t.Helper()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		bookings(t, db)
		test(t, db, open(t, db, d))
	})
}

func booked(t *testing.T, r *contracttest.Result, number int64) {
	t.Helper()
	require.Empty(t, r.Outcome.Code, r.Text)
	assert.Equal(t, number, contracttest.Output[bookOut](t, r).Number)
}

func TestAtomic_ACallIsCommittedOnceAndReplayed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		for i := range 3 { // processes
			r := desk(t, s, atomicTool(booking)).Call("visits.book", slot)
			booked(t, r, 1)
			assert.Equal(t, i > 0, r.Outcome.Status == contract.StatusReplayed)
		}
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}

// TestAtomic_AFailedCallHasNoEffect has each way in which a handler can end
// after its write.
func TestAtomic_AFailedCallHasNoEffect(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		for name, end := range map[string]struct {
			end      func() error
			code     string
			replayed bool // an equal call gets the same failure
		}{
			"undeclared": {func() error { return errors.New("broken") }, contract.CodeInternalError, false},
			"retryable":  {func() error { return errTaken.Errorf("busy") }, "desk_busy", false},
			"fatal":      {func() error { return errClosed.Errorf("closed") }, "desk_closed", true},
			"panic":      {func() error { panic("broken") }, contract.CodeInternalError, false},
			"goexit":     {func() error { runtime.Goexit(); return nil }, contract.CodeInternalError, false},
		} {
			for _, limit := range []time.Duration{0, time.Minute} { // on the goroutine of the call, and on another
				var fails atomic.Bool
				fails.Store(true)
				tool := atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
					out, err := booking(ctx, in)
					if err == nil && fails.Load() {
						err = end.end()
					}
					return out, err
				})
				if limit > 0 {
					tool = tool.Timeout(limit)
				}
				in := bookIn{name + limit.String()}
				client := desk(t, s, tool)
				var r *contracttest.Result
				done := make(chan struct{})
				go func() { // the handler may end the goroutine
					defer close(done)
					r, _ = client.Try("visits.book", in)
				}()
				<-done
				if r != nil {
					assert.Equal(t, end.code, r.Outcome.Code, name)
					assert.NotContains(t, r.Text, "ffects may", name)
				}
				assert.Zero(t, count(t, db, "bookings"), name)
				fails.Store(false)
				again := desk(t, s, tool).Call("visits.book", in)
				if end.replayed {
					assert.Equal(t, end.code, again.Outcome.Code, name)
					assert.Zero(t, count(t, db, "bookings"), name)
					continue
				}
				booked(t, again, 1)
				_, err := db.ExecContext(t.Context(), `DELETE FROM bookings`)
				require.NoError(t, err)
			}
		}
	})
}

func TestAtomic_AFailedCallLeavesItsKeyToOtherArguments(t *testing.T) {
	t.Parallel()
	type in struct {
		Slot string `json:"slot"`
		Name string `json:"name"`
	}
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		tool := contract.New("visits.book", func(ctx context.Context, i in) (bookOut, error) {
			out, err := booking(ctx, slot)
			if err == nil && i.Name == "" {
				err = errClosed.Errorf("no name")
			}
			return out, err
		}).Description("Books a visit.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).NoPermissions("Open.").
			Failures(errClosed).Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"slot"}, Atomic: true})
		client := contracttest.NewClient(t, []*contract.Tool{tool.MustBuild()}, guard.WithStore(s), guard.WithNamespace("desk"),
			guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32))).As(contract.Principal{Issuer: "test", Subject: "ada"})
		assert.Equal(t, "desk_closed", client.Call("visits.book", in{"9:00", ""}).Outcome.Code)
		booked(t, client.Call("visits.book", in{"9:00", "ada"}), 1)
		assert.Equal(t, contract.CodeKeyConflict, client.Call("visits.book", in{"9:00", "bob"}).Outcome.Code)
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}

func TestAtomic_ATimeoutEndsTheWritesOfTheHandler(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		late, ended := make(chan struct{}), make(chan error, 1)
		tool := atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
			tx, err := sqlstore.Tx(ctx)
			if err != nil {
				return bookOut{}, err
			}
			<-late
			_, err = tx.ExecContext(context.WithoutCancel(ctx), addBooking)
			ended <- err
			return bookOut{}, nil
		}).Timeout(200 * time.Millisecond)
		client := desk(t, s, tool)
		r := client.Call("visits.book", slot)
		assert.Equal(t, contract.CodeTimeout, r.Outcome.Code)
		assert.NotContains(t, r.Text, "ffects may")
		booked(t, desk(t, s, atomicTool(booking)).Call("visits.book", slot), 1)
		close(late)
		require.Error(t, <-ended, "the late write is refused")
		client.Close()
		assert.Equal(t, 1, count(t, db, "bookings"))
		booked(t, desk(t, s, atomicTool(booking)).Call("visits.book", slot), 1)
	})
}

func TestAtomic_CloseUndoesWhatStillRuns(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		for _, limit := range []time.Duration{0, time.Minute} {
			wrote, finish := make(chan struct{}), make(chan struct{})
			tool := atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
				out, err := booking(ctx, in)
				close(wrote)
				<-finish
				return out, err
			})
			if limit > 0 {
				tool = tool.Timeout(limit)
			}
			client := desk(lateTest{t}, s, tool, guard.WithTimes(guard.Times{Drain: 50 * time.Millisecond}))
			var r *contracttest.Result
			var wait sync.WaitGroup
			wait.Go(func() { r, _ = client.Try("visits.book", slot) })
			<-wrote
			client.Close()
			assert.Zero(t, count(t, db, "bookings"))
			close(finish)
			wait.Wait()
			require.NotNil(t, r)
			assert.Equal(t, contract.CodeUnavailable, r.Outcome.Code, r.Text)
			assert.Zero(t, count(t, db, "bookings"))
		}
	})
}

// A lateTest does not fail because a handler outlives its guard.
type lateTest struct{ testing.TB }

func (lateTest) Errorf(string, ...any) {}

// An unsure store loses the answer to a commit, after or before it took place.
type unsure struct {
	*sqlstore.Store

	commits bool
}

func (u unsure) Transaction(key store.Key, owner store.Owner) store.Transaction {
	return unsureTx{u.Store.Transaction(key, owner), u.commits}
}

type unsureTx struct {
	store.Transaction

	commits bool
}

func (u unsureTx) Commit(ctx context.Context, c store.Completion) error {
	if u.commits {
		if err := u.Transaction.Commit(ctx, c); err != nil {
			return err
		}
	}
	return errors.New("the connection was cut")
}

func TestAtomic_ALostAnswerToTheCommitIsNoUnknownOutcome(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		booked(t, desk(t, unsure{s, true}, atomicTool(booking)).Call("visits.book", slot), 1)
		booked(t, desk(t, s, atomicTool(booking)).Call("visits.book", slot), 1)
		assert.Equal(t, 1, count(t, db, "bookings"))

		second := bookIn{"10:00"}
		r := desk(t, unsure{s, false}, atomicTool(booking)).Call("visits.book", second)
		assert.Equal(t, contract.CodeUnavailable, r.Outcome.Code)
		assert.Equal(t, contract.ClassRetryable, r.Outcome.Class)
		assert.Equal(t, 1, count(t, db, "bookings"))
		booked(t, desk(t, s, atomicTool(booking)).Call("visits.book", second), 2)
	})
}

func TestAtomic_AConflictRunsTheHandlerAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		if d == sqlstore.SQLite {
			t.Skip("a transaction of SQLite waits for the one before")
		}
		_, err := db.ExecContext(t.Context(), `CREATE TABLE slots (id int PRIMARY KEY, n int)`)
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), `INSERT INTO slots VALUES (1, 0), (2, 0)`)
		require.NoError(t, err)
		s := open(t, db, d)
		var runs atomic.Int64
		var both sync.WaitGroup // at the first run of each
		both.Add(2)
		cross := func(first, second string) *bookTool {
			isFirst := true
			return atomicTool(func(ctx context.Context, _ bookIn) (bookOut, error) {
				runs.Add(1)
				tx, err := sqlstore.Tx(ctx)
				if err != nil {
					return bookOut{}, err
				}
				if _, err := tx.ExecContext(ctx, first); err != nil {
					return bookOut{}, errClosed.Errorf("closed") // also a failure that a handler makes of the conflict
				}
				if isFirst {
					isFirst = false
					both.Done()
					both.Wait()
				}
				if _, err := tx.ExecContext(ctx, second); err != nil {
					return bookOut{}, errClosed.Errorf("closed")
				}
				return bookOut{}, nil
			})
		}
		const one, two = `UPDATE slots SET n = n + 1 WHERE id = 1`, `UPDATE slots SET n = n + 1 WHERE id = 2`
		var wait sync.WaitGroup
		for i, tool := range []*bookTool{cross(one, two), cross(two, one)} {
			client := desk(t, s, tool)
			wait.Go(func() {
				r, err := client.Try("visits.book", bookIn{string(rune('a' + i))})
				if assert.NoError(t, err) {
					assert.Empty(t, r.Outcome.Code, r.Text)
				}
			})
		}
		wait.Wait()
		n := 0
		require.NoError(t, db.QueryRowContext(t.Context(), `SELECT sum(n) FROM slots`).Scan(&n))
		assert.Equal(t, 4, n)
		assert.GreaterOrEqual(t, runs.Load(), int64(3), "one of them ran twice")
	})
}

// TestAtomic_AnOverlappingExecutionIsNotCommitted stops a process for longer
// than its lease before it begins to write.
func TestAtomic_AnOverlappingExecutionIsNotCommitted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		stopped, resume := make(chan struct{}), make(chan struct{})
		var owner store.Owner
		first := desk(t, noRenewals{s, &owner}, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
			close(stopped)
			<-resume
			return booking(ctx, in)
		}), guard.WithTimes(guard.Times{Lease: 3 * time.Second, StoreTimeout: time.Second}))
		var late *contracttest.Result
		var wait sync.WaitGroup
		wait.Go(func() { late, _ = first.Try("visits.book", slot) })
		<-stopped
		second := desk(t, s, atomicTool(booking))
		require.Eventually(t, func() bool {
			return second.Call("visits.book", slot).Outcome.Status == contract.StatusOK
		}, time.Minute, 100*time.Millisecond)
		close(resume)
		wait.Wait()
		booked(t, late, 1)
		assert.Equal(t, contract.StatusReplayed, late.Outcome.Status)
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}

type noRenewals struct {
	*sqlstore.Store

	owner *store.Owner
}

func (noRenewals) Renew(context.Context, store.Key, store.Owner, time.Duration) error {
	return errors.New("the process is stopped")
}

func TestAtomic_NeedsAStoreThatCanCommit(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (contract.Principal, error) {
		return contract.Principal{}, nil
	})))
	require.NoError(t, err)
	_, err = g.Protect(atomicTool(booking).MustBuild())
	mistake, ok := errors.AsType[*contract.DeclarationError](err)
	require.True(t, ok)
	assert.Equal(t, "protect.atomic", mistake.Rule)
	assert.Equal(t, "visits.book", mistake.Tool)
	assert.Equal(t, "idempotency", mistake.Where)
	assert.Contains(t, mistake.Remedy, "sqlstore.Open")
}

func TestAtomic_WithoutTheStoreNothingRuns(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, t.TempDir()+"/state.db")
	bookings(t, db)
	client := desk(t, unclaimed{open(t, db, sqlstore.SQLite)}, atomicTool(booking), guard.WithStoreFailOpen())
	assert.Equal(t, contract.CodeUnavailable, client.Call("visits.book", slot).Outcome.Code)
}

// unclaimed is a store whose claims fail.
type unclaimed struct{ *sqlstore.Store }

func (unclaimed) Claim(context.Context, store.Claim) (store.ClaimResult, error) {
	return store.ClaimResult{}, errors.New("the database is away")
}
