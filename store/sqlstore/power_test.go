//go:build unix

package sqlstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

// An effect is what a handler has done outside of the database, or an operation
// of the store that has returned, after a number of writes to the disk.
type effect struct {
	after int
	slot  string
	token string
	key   string // of the call, for a system that can be asked
}

// A town is where the effects are. It loses none.
type town struct {
	writes  func() int
	effects []effect
	refused []effect // the keys that it refuses from now on
	fails   bool     // each new slot fails: before its effect if the town can be asked, else after it
}

// at returns the town as it was after n writes.
func (w *town) at(n int) *town {
	isLater := func(e effect) bool { return e.after > n }
	return &town{
		writes:  func() int { return n },
		effects: slices.DeleteFunc(slices.Clone(w.effects), isLater),
		refused: slices.DeleteFunc(slices.Clone(w.refused), isLater),
	}
}

func (w *town) of(slot string) (found []effect) {
	for _, e := range w.effects {
		if e.slot == slot {
			found = append(found, e)
		}
	}
	return found
}

var errTown = errors.New("the town is closed")

// book has an effect, and may fail after it.
func (w *town) book(_ context.Context, in bookIn) (visit, error) {
	e := effect{after: w.writes(), slot: in.Slot, token: rand.Text()}
	w.effects = append(w.effects, e)
	if w.fails {
		return visit{}, errTown
	}
	return visit{e.token}, nil
}

// order has an effect by a key, unless the town refuses it.
func (w *town) order(ctx context.Context, in bookIn) (visit, error) {
	key, _ := guard.IdempotencyKey(ctx)
	isRefused := slices.ContainsFunc(w.refused, func(e effect) bool { return e.key == key })
	if w.fails || isRefused {
		return visit{}, errTown
	}
	e := effect{after: w.writes(), slot: in.Slot, token: rand.Text(), key: key}
	w.effects = append(w.effects, e)
	return visit{e.token}, nil
}

// ask tells what became of an order, and refuses the key of one that did not
// happen.
func (w *town) ask(ctx context.Context, in bookIn, _ time.Time) (contract.Reconciled[visit], error) {
	key, _ := guard.IdempotencyKey(ctx)
	for _, e := range w.of(in.Slot) {
		if e.key == key {
			return contract.Happened(visit{e.token}), nil
		}
	}
	w.refused = append(w.refused, effect{after: w.writes(), key: key})
	return contract.CannotHappen[visit](), nil
}

func addVisit(ctx context.Context, in bookIn) (visit, error) {
	out := visit{rand.Text()}
	tx, err := sqlstore.Tx(ctx)
	if err == nil {
		_, err = tx.ExecContext(ctx, `INSERT INTO visits (slot, token) VALUES (?, ?)`, in.Slot, out.Token)
	}
	return out, err
}

// client serves the town's tools on a store.
func (w *town) client(t *testing.T, s store.Store) *contracttest.Client {
	t.Helper()
	tool := func(name string, h contract.Handler[bookIn, visit], declare func(*contract.Builder[bookIn, visit])) *contract.Tool {
		once := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"slot"}, Atomic: name == "town.visit"}
		b := contract.New(name, h).Description("Books a visit.").Version("1.0.0").Effect(risk.LowRiskWrite).
			Trust(trust.Trusted).NoPermissions("The town is open.").RateLimit(1e6, time.Second).Idempotency(once)
		declare(b)
		return b.MustBuild()
	}
	asIs := func(*contract.Builder[bookIn, visit]) {}
	return contracttest.NewClient(t, []*contract.Tool{
		tool("town.book", w.book, asIs),
		tool("town.agree", w.book, func(b *contract.Builder[bookIn, visit]) { b.ConfirmAlways() }),
		tool("town.visit", addVisit, asIs),
		tool("town.order", w.order, func(b *contract.Builder[bookIn, visit]) { b.Reconcile(w.ask, contract.Reconciling{}) }),
	}, guard.WithStore(s), guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithNamespace("town"),
		guard.WithRetryBudget(0, 0), guard.WithLogger(slog.New(slog.DiscardHandler)),
	).As(contract.Principal{Issuer: "test", Subject: "ada"}).Answering(contracttest.Approve)
}

// A day has the calls of a town, and what was answered.
type day struct {
	disk    *disk
	town    *town
	answers []effect // of successful calls: the slot is that of a tool
	decided []effect // records of decisions, whose owner began no execution
	spent   []effect // nonces
}

// liveADay makes calls of each kind in a file whose writes are recorded. The log
// is moved to the file often, also within a call.
func liveADay(t *testing.T) *day {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(300)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"+
		"&_pragma=secure_delete(ON)&_pragma=wal_autocheckpoint(25)&vfs="+recordingVFS)
	require.NoError(t, err)
	d := &day{disk: newDisk(t, path)}
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s := open(t, db, sqlstore.SQLite)
	_, err = db.ExecContext(t.Context(), `CREATE TABLE visits (slot text NOT NULL, token text NOT NULL)`)
	require.NoError(t, err)
	d.disk.forget(t)
	d.town = &town{writes: d.disk.len}
	client := d.town.client(t, s)
	call := func(tool, slot string, succeeds bool) {
		r := client.Call(tool, bookIn{slot})
		require.Equal(t, succeeds, !r.IsError, r.Text)
		if succeeds {
			d.answers = append(d.answers, effect{d.disk.len(), slot, contracttest.Output[visit](t, r).Token, tool})
		}
	}
	for i := range 3 {
		slot := func(of string) string { return fmt.Sprint(of, i) }
		call("town.book", slot("booked"), true)
		call("town.visit", slot("visited"), true)
		call("town.agree", slot("agreed"), true)
		d.town.fails = true
		call("town.book", slot("failed"), false)
		call("town.order", slot("ordered"), false)
		d.town.fails = false
		call("town.book", slot("failed"), false)
		call("town.order", slot("ordered"), true)
		call("town.book", slot("booked"), true)

		key := keyOf("ada", slot("decided"))
		c := claimOf(key)
		claimed, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, store.Claimed, claimed.Status)
		require.NoError(t, s.Complete(t.Context(), done(c)))
		d.decided = append(d.decided, effect{after: d.disk.len(), slot: slot("decided")})
		spent, err := s.Spend(t.Context(), store.Nonce{Key: keyOf("ada", slot("spent")), TTL: time.Hour}, store.NewOwner())
		require.NoError(t, err)
		require.True(t, spent)
		d.spent = append(d.spent, effect{after: d.disk.len(), slot: slot("spent")})
	}
	return d
}

// wakesAfter checks what the calls find after a loss of power that follows the
// first n writes of a day.
func (d *day) wakesAfter(t *testing.T, n int, l loss) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "state.db")
	d.disk.fail(t, n, l, path)
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(300)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)")
	require.NoError(t, err)
	defer db.Close()
	var integrity string
	require.NoError(t, db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&integrity))
	require.Equal(t, "ok", integrity)
	s, err := sqlstore.Open(db, sqlstore.SQLite)
	require.NoError(t, err)
	defer s.Freeze(0)         // after a sweep, which would use the file after its removal
	s.Shift(10 * time.Minute) // beyond all leases
	now := d.town.at(n)
	client := now.client(t, s)
	happened := func(all []effect, slot string) (found []effect) {
		for _, e := range all {
			if e.slot == slot && e.after <= n {
				found = append(found, e)
			}
		}
		return found
	}
	call := func(tool, slot string) (token string, code string) {
		r := client.Call(tool, bookIn{slot})
		if r.IsError {
			return "", r.Outcome.Code
		}
		return contracttest.Output[visit](t, r).Token, ""
	}
	for i := range 3 {
		for slot, tool := range map[string]string{
			"booked": "town.book", "agreed": "town.agree", "failed": "town.book", "ordered": "town.order",
		} {
			slot := fmt.Sprint(slot, i)
			for range 2 {
				token, code := call(tool, slot)
				effects := now.of(slot)
				switch {
				case code == contract.CodeOutcomeUnknown && tool != "town.order":
					assert.LessOrEqual(t, len(effects), 1, slot)
				case assert.Empty(t, code, slot) && assert.Len(t, effects, 1, slot):
					assert.Equal(t, effects[0].token, token, slot)
				}
			}
			if len(d.town.at(n).of(slot)) == 1 {
				assert.Len(t, now.of(slot), 1, "a call that had its effect runs again: "+slot)
			}
		}
		slot := fmt.Sprint("visited", i)
		token, code := call("town.visit", slot)
		assert.Empty(t, code, slot)
		rows, found := 0, ""
		require.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*), max(token) FROM visits WHERE slot = ?`, slot).
			Scan(&rows, &found))
		assert.Equal(t, 1, rows, slot)
		assert.Equal(t, found, token, slot)
		for _, e := range happened(d.answers, slot) {
			assert.Equal(t, e.token, token, "an answered atomic call is undone")
		}
		for _, e := range happened(d.decided, fmt.Sprint("decided", i)) {
			assert.Equal(t, store.Completed, stateOf(t, s, keyOf("ada", e.slot)), e.slot)
		}
		for _, e := range happened(d.spent, fmt.Sprint("spent", i)) {
			again, err := s.Spend(t.Context(), store.Nonce{Key: keyOf("ada", e.slot), TTL: time.Hour}, store.NewOwner())
			require.NoError(t, err)
			assert.False(t, again, e.slot)
		}
	}
}

// TestCrash_CallsThatLosePowerRunOnce breaks a day off at each write and sync of
// the file and its log, with what a disk may keep of the writes that were not
// synced. By default it picks some at random.
func TestCrash_CallsThatLosePowerRunOnce(t *testing.T) {
	t.Parallel()
	d := liveADay(t)
	n := d.disk.len()
	_, isLong := os.LookupEnv(crashCalls)
	for l := range losses {
		t.Run(fmt.Sprint("the disk keeps ", l), func(t *testing.T) {
			cuts := mathrand.Perm(n + 1)
			if !isLong {
				cuts = cuts[:25]
			}
			for _, cut := range cuts {
				if d.wakesAfter(t, cut, l); t.Failed() {
					t.Fatalf("after write %d of %d", cut, n)
				}
			}
		})
	}
}
