package sqlstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
	"github.com/toolcontract/toolcontract/trust"
)

// brief is a lease that a test can wait out. On a busy machine, the first
// statement on a new connection can take a good part of a second.
const brief = 3 * time.Second

var briefTimes = guard.WithTimes(guard.Times{Lease: brief, StoreTimeout: brief / 3})

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

// booking is the tests' handler: it adds a row to a table without a unique key,
// and returns the number of rows.
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

// dial starts a process that serves a tool on a store, and returns its client.
func dial(t testing.TB, s store.Store, tool *bookTool, opts ...guard.Option) *contracttest.Client {
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
			r := dial(t, s, atomicTool(booking)).Call("visits.book", slot)
			booked(t, r, 1)
			assert.Equal(t, i > 0, r.Outcome.Status == contract.StatusReplayed)
		}
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}

// TestAtomic_AFailedCallHasNoEffect covers every way in which a handler can end
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
				client := dial(t, s, tool)
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
				again := dial(t, s, tool).Call("visits.book", in)
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
		resume, ended := make(chan struct{}), make(chan error, 1)
		tool := atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
			tx, err := sqlstore.Tx(ctx)
			if err != nil {
				return bookOut{}, err
			}
			<-resume
			_, err = tx.ExecContext(context.WithoutCancel(ctx), addBooking)
			ended <- err
			return bookOut{}, nil
		}).Timeout(200 * time.Millisecond)
		client := dial(t, s, tool)
		r := client.Call("visits.book", slot)
		assert.Equal(t, contract.CodeTimeout, r.Outcome.Code)
		assert.NotContains(t, r.Text, "ffects may")
		booked(t, dial(t, s, atomicTool(booking)).Call("visits.book", slot), 1)
		close(resume)
		require.Error(t, <-ended, "the late write is refused")
		late := slices.DeleteFunc(client.Close(), func(e audit.Event) bool { return e.Kind != audit.Late })
		require.Len(t, late, 1)
		assert.Equal(t, contract.CodeTimeout, late[0].Code, "what the handler returned at last was not committed")
		assert.Equal(t, 1, count(t, db, "bookings"))
		booked(t, dial(t, s, atomicTool(booking)).Call("visits.book", slot), 1)
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
			client := dial(lateTest{t}, s, tool, guard.WithTimes(guard.Times{Drain: 50 * time.Millisecond}))
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

// An unsure store loses the answer to a commit, before or after it took place.
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
		first := dial(t, unsure{s, true}, atomicTool(booking)).Call("visits.book", slot)
		booked(t, first, 1)
		assert.Equal(t, contract.StatusOK, first.Outcome.Status, "the call has found out that it was committed")
		booked(t, dial(t, s, atomicTool(booking)).Call("visits.book", slot), 1)
		assert.Equal(t, 1, count(t, db, "bookings"))

		second := bookIn{"10:00"}
		r := dial(t, unsure{s, false}, atomicTool(booking)).Call("visits.book", second)
		assert.Equal(t, contract.CodeUnavailable, r.Outcome.Code)
		assert.Equal(t, contract.ClassRetryable, r.Outcome.Class)
		assert.Equal(t, 1, count(t, db, "bookings"))
		booked(t, dial(t, s, atomicTool(booking)).Call("visits.book", second), 2)
	})
}

// A database's errors repeat what a caller wrote, which may look like a
// conflict's code.
func TestAtomic_AnErrorWithANumberIsNoConflict(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *sql.DB, s *sqlstore.Store) {
		runs := 0
		c := dial(t, s, atomicTool(func(ctx context.Context, _ bookIn) (bookOut, error) {
			runs++
			tx, err := sqlstore.Tx(ctx)
			if err != nil {
				return bookOut{}, err
			}
			if _, err = tx.ExecContext(ctx, `INSERT INTO "(5) SQLSTATE 40001" VALUES (1)`); err != nil {
				err = errClosed.Errorf("closed")
			}
			return bookOut{}, err
		}))
		assert.Equal(t, errClosed.Code(), c.Call("visits.book", slot).Outcome.Code)
		assert.Equal(t, 1, runs)
	})
}

// conflicting makes a commit that has added a row fail n times, as those of
// serializable transactions and of deferred constraints do.
func conflicting(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), `
		CREATE SEQUENCE commits;
		CREATE FUNCTION conflict() RETURNS TRIGGER LANGUAGE plpgsql AS $$
		BEGIN
		  IF nextval('commits') <= `+strconv.Itoa(n)+` THEN RAISE EXCEPTION 'a conflict' USING ERRCODE = '40001'; END IF;
		  RETURN NULL;
		END $$;
		CREATE CONSTRAINT TRIGGER conflicts AFTER INSERT ON bookings DEFERRABLE INITIALLY DEFERRED
		  FOR EACH ROW EXECUTE FUNCTION conflict()`)
	require.NoError(t, err)
}

func TestAtomic_AConflictAtTheCommitRunsTheHandlerAgain(t *testing.T) {
	t.Parallel()
	for conflicts, want := range map[int]struct {
		runs   int64
		first  string // the code of the first call
		second contract.Status
	}{
		2: {3, "", contract.StatusReplayed},
		3: {3, contract.CodeUnavailable, contract.StatusOK}, // a handler runs three times at most
	} {
		for _, limit := range []time.Duration{0, time.Minute} {
			db := servertest.Postgres(t)
			bookings(t, db)
			conflicting(t, db, conflicts)
			var runs atomic.Int64
			tool := atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
				runs.Add(1)
				return booking(ctx, in)
			}).MaxConcurrent(1)
			if limit > 0 {
				tool = tool.Timeout(limit)
			}
			client := dial(t, open(t, db, sqlstore.Postgres), tool)
			first := client.Call("visits.book", slot)
			assert.Equal(t, want.first, first.Outcome.Code, first.Text)
			assert.Equal(t, want.runs, runs.Load())
			second := client.Call("visits.book", slot)
			booked(t, second, 1)
			assert.Equal(t, want.second, second.Outcome.Status)
			assert.Equal(t, 1, count(t, db, "bookings"))
		}
	}
}

// The handler's second run ends differently from its first.
func TestAtomic_AConflictAtTheCommitIsFollowedByAnyEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		end  func() error
		code string
	}{
		"fatal":  {func() error { return errClosed.Errorf("closed") }, "desk_closed"},
		"panic":  {func() error { panic("broken") }, contract.CodeInternalError},
		"goexit": {func() error { runtime.Goexit(); return nil }, contract.CodeInternalError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := servertest.Postgres(t)
			bookings(t, db)
			conflicting(t, db, 1)
			var runs atomic.Int64
			client := dial(t, open(t, db, sqlstore.Postgres), atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
				out, err := booking(ctx, in)
				if err == nil && runs.Add(1) == 2 {
					err = end.end()
				}
				return out, err
			}))
			assert.Equal(t, end.code, client.Call("visits.book", slot).Outcome.Code)
			assert.Zero(t, count(t, db, "bookings"))
			again := client.Call("visits.book", slot)
			if name == "fatal" {
				assert.Equal(t, end.code, again.Outcome.Code, "the failure is the outcome")
				assert.EqualValues(t, 2, runs.Load())
				return
			}
			booked(t, again, 1)
		})
	}
}

// TestAtomic_AnOverlappingExecutionIsNotCommitted stops a process for longer
// than its lease before it begins to write.
func TestAtomic_AnOverlappingExecutionIsNotCommitted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		stopped, resume := make(chan struct{}), make(chan struct{})
		var owner store.Owner
		first := dial(t, noRenewals{s, &owner}, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
			close(stopped)
			<-resume
			return booking(ctx, in)
		}), briefTimes)
		var late *contracttest.Result
		var wait sync.WaitGroup
		wait.Go(func() { late, _ = first.Try("visits.book", slot) })
		<-stopped
		second := dial(t, s, atomicTool(booking))
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

func TestAtomic_ASuccessWithoutTheTransactionIsLogged(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, t.TempDir()+"/state.db")
	bookings(t, db)
	s := open(t, db, sqlstore.SQLite)
	for name, c := range map[string]struct {
		book  contract.Handler[bookIn, bookOut]
		lines int
	}{
		"by the transaction": {booking, 0},
		"past it": {func(ctx context.Context, in bookIn) (bookOut, error) {
			_, err := db.ExecContext(ctx, addBooking)
			return bookOut{}, err
		}, 1},
		"a failure": {func(context.Context, bookIn) (bookOut, error) { return bookOut{}, errClosed.Errorf("closed") }, 0},
	} {
		var log bytes.Buffer
		client := dial(t, s, atomicTool(c.book), guard.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))
		for _, hour := range []string{"9", "10"} {
			client.Call("visits.book", bookIn{name + hour})
		}
		client.Close()
		assert.Equal(t, c.lines, strings.Count(log.String(), "an atomic tool succeeded without its transaction"), name)
		assert.NotContains(t, log.String(), name, "no value of the call")
	}
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
	client := dial(t, unclaimed{open(t, db, sqlstore.SQLite)}, atomicTool(booking), guard.WithStoreFailOpen())
	assert.Equal(t, contract.CodeUnavailable, client.Call("visits.book", slot).Outcome.Code)
}

// unclaimed is a store whose claims fail.
type unclaimed struct{ *sqlstore.Store }

func (unclaimed) Claim(context.Context, store.Claim) (store.ClaimResult, error) {
	return store.ClaimResult{}, errors.New("the database is away")
}

// A version of the tool that was not atomic has left an unknown outcome under
// the key. The record remembers that, so its release cannot show whether the
// call was committed.
func TestAtomic_ALostAnswerIsSettledBesideAnEarlierUnknownOutcome(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		keyed := contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}
		before := atomicTool(func(context.Context, bookIn) (bookOut, error) { return bookOut{}, errors.New("broken") }).
			OtherErrors(contract.ClassFatal).Idempotency(keyed)
		require.Equal(t, contract.CodeToolFatal, dial(t, s, before).WithKey("k").Call("visits.book", slot).Outcome.Code)
		keyed.Atomic = true
		booked(t, dial(t, unsure{s, true}, atomicTool(booking).Idempotency(keyed)).WithKey("k").Call("visits.book", bookIn{"10:00"}), 1)
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}

// A declared failure that comes too late is not an outcome, and its record has
// been released: nothing is left to persist.
func TestAtomic_ALateFailureIsNotRecorded(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *sql.DB, s *sqlstore.Store) {
		resume := make(chan struct{})
		client := dial(t, s, atomicTool(func(context.Context, bookIn) (bookOut, error) {
			<-resume
			return bookOut{}, errClosed.Errorf("closed")
		}).Timeout(200*time.Millisecond))
		assert.Equal(t, contract.CodeTimeout, client.Call("visits.book", slot).Outcome.Code)
		close(resume)
		late := slices.DeleteFunc(client.Close(), func(e audit.Event) bool { return e.Kind != audit.Late })
		require.Len(t, late, 1)
		assert.False(t, late[0].NotPersisted)
		booked(t, dial(t, s, atomicTool(booking)).Call("visits.book", slot), 1)
	})
}
