//go:build unix

package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A held tool books, and succeeds only once the test lets it.
type held struct{ wrote, finish chan struct{} }

func newHeld() held { return held{make(chan struct{}, 8), make(chan struct{})} }

func (h held) book(ctx context.Context, in bookIn) (bookOut, error) {
	out, err := booking(ctx, in)
	h.wrote <- struct{}{}
	<-h.finish
	return out, err
}

// The calls use all connections for longer than their lease.
func TestAtomic_AFullPoolDoesNotLoseARunningCall(t *testing.T) {
	t.Parallel()
	inRooms(t, func(t *testing.T, r *room) {
		calls := 2
		if r.dialect == sqlstore.SQLite { // it has one transaction at a time
			calls = 1
		}
		bookings(t, r.db)
		pool := opening(drivers[r.dialect])(t, r.place)
		pool.SetMaxOpenConns(calls)
		h := newHeld()
		client := dial(t, open(t, pool, r.dialect), atomicTool(h.book), briefTimes)
		results := make([]*contracttest.Result, calls)
		var wait sync.WaitGroup
		for i := range results {
			wait.Go(func() { results[i], _ = client.Try("visits.book", bookIn{fmt.Sprint(i)}) })
			<-h.wrote
		}
		replica := dial(t, open(t, r.db, r.dialect), atomicTool(booking).RateLimit(1e6, time.Second), briefTimes)
		for end := time.Now().Add(brief + brief/2); time.Now().Before(end); {
			assert.Contains(t, []string{contract.CodeKeyInProgress, contract.CodeUnavailable},
				replica.Call("visits.book", bookIn{"0"}).Outcome.Code)
		}
		close(h.finish)
		wait.Wait()
		for _, result := range results {
			if assert.NotNil(t, result) {
				assert.Empty(t, result.Outcome.Code, result.Text)
			}
		}
		assert.Equal(t, calls, count(t, r.db, "bookings"))
	})
}

// A long SQLite transaction delays others' calls, but is not an outage.
func TestAtomic_ALockedFileIsNoOutage(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, t.TempDir()+"/state.db")
	bookings(t, db)
	s := open(t, db, sqlstore.SQLite)
	h := newHeld()
	slow := dial(t, s, atomicTool(h.book))
	var wait sync.WaitGroup
	wait.Go(func() { booked(t, slow.Call("visits.book", slot), 1) })
	<-h.wrote
	other := dial(t, s, atomicTool(booking))
	assert.Equal(t, contract.CodeUnavailable, other.Call("visits.book", bookIn{"10:00"}).Outcome.Code)
	close(h.finish)
	wait.Wait()
	booked(t, other.Call("visits.book", bookIn{"10:00"}), 2)
}

// A handler waits for the write lock of the file longer than an operation of
// the store.
func TestAtomic_TxWaitsForTheFile(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, t.TempDir()+"/state.db")
	bookings(t, db)
	s := open(t, db, sqlstore.SQLite)
	h, begins := newHeld(), make(chan struct{})
	waits := dial(t, s, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
		h.wrote <- struct{}{}
		<-begins
		return booking(ctx, in)
	}), briefTimes)
	var wait sync.WaitGroup
	wait.Go(func() { booked(t, waits.Call("visits.book", bookIn{"10:00"}), 2) })
	<-h.wrote
	wait.Go(func() { booked(t, dial(t, s, atomicTool(h.book), briefTimes).Call("visits.book", slot), 1) })
	<-h.wrote
	close(begins)
	time.AfterFunc(brief*2/3, func() { close(h.finish) })
	wait.Wait()
	assert.Equal(t, 2, count(t, db, "bookings"))
}

// A guard that closes commits what ends within the drain time.
func TestAtomic_ADrainedServerCommitsWhatEndsInTime(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		h := newHeld()
		client := dial(t, s, atomicTool(h.book), guard.WithTimes(guard.Times{Drain: time.Minute}))
		var wait sync.WaitGroup
		wait.Go(func() { booked(t, client.Call("visits.book", slot), 1) })
		<-h.wrote
		time.AfterFunc(200*time.Millisecond, func() { close(h.finish) })
		client.Close()
		assert.Equal(t, 1, count(t, db, "bookings"))
		wait.Wait()
		booked(t, dial(t, s, atomicTool(booking)).Call("visits.book", slot), 1)
	})
}

// A failure is counted once its transaction has ended, and a success forgets
// the failures of equal calls within its transaction.
func TestAtomic_ASuccessResetsTheRetryBudget(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		fails := true
		tool := atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
			out, err := booking(ctx, in)
			if err == nil && fails {
				err = errTaken.Errorf("busy")
			}
			return out, err
		}).Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true, Atomic: true})
		client := dial(t, s, tool, guard.WithRetryBudget(3, time.Hour))
		for i, code := range []string{
			"desk_busy", "desk_busy", "", "desk_busy", "desk_busy", "desk_busy", contract.CodeRetryBudgetExhausted,
		} {
			fails = code != ""
			r := client.WithKey(fmt.Sprint(i)).Call("visits.book", slot)
			assert.Equal(t, code, r.Outcome.Code, "call %d: %s", i, r.Text)
		}
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}
