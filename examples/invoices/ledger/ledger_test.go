package ledger

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// open opens a ledger that is closed when the test ends.
func open(t *testing.T, path string) *Ledger {
	t.Helper()
	l, err := Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	return l
}

func acme(t *testing.T) Books {
	t.Helper()
	return open(t, "").Account("acme")
}

func newInvoice(quantity int) NewInvoice {
	return NewInvoice{Customer: "c_anna", Currency: "EUR", Lines: []Line{{"Bread", quantity, 12_50}}}
}

func TestOpen_KeepsTheBooksInAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "books of 100%?.db")
	first, second := open(t, path).Account("acme"), open(t, path).Account("acme")
	created, err := first.Create(t.Context(), Execution{}, newInvoice(3))
	require.NoError(t, err)
	found, err := second.Invoice(t.Context(), created.Number)
	require.NoError(t, err)
	assert.Equal(t, created, found, "another process reads what was committed")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode(), "only the owner reads the books")
}

func TestOpen_RefusesWhatIsNoDatabase(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text,
		[]byte("This is a text and no database, which is at least as long as a header of SQLite would be."), 0o600))
	for _, path := range []string{text, t.TempDir(), filepath.Join(t.TempDir(), "none", "books.db")} {
		_, err := Open(path)
		assert.Error(t, err)
	}
}

func TestBooks_AreThoseOfOneAccount(t *testing.T) {
	t.Parallel()
	l := open(t, "")
	for name, want := range map[string]struct {
		customers, invoices int
	}{"acme": {2, 4}, "globex": {1, 1}, "nobody": {0, 0}, "": {0, 0}} {
		books := l.Account(name)
		customers, err := books.Customers(t.Context())
		require.NoError(t, err)
		assert.Len(t, customers, want.customers, name)
		invoices, err := books.Search(t.Context(), Search{}, 100)
		require.NoError(t, err)
		assert.Len(t, invoices, want.invoices, name)
	}
	stranger := l.Account("globex")
	for name, call := range map[string]func() error{
		"customer": func() error { _, err := stranger.Customer(t.Context(), "c_anna"); return err },
		"invoice":  func() error { _, err := stranger.Invoice(t.Context(), "AC-1001"); return err },
		"create":   func() error { _, err := stranger.Create(t.Context(), Execution{}, newInvoice(1)); return err },
		"void":     func() error { _, err := stranger.Void(t.Context(), "AC-1002"); return err },
		"send":     func() error { _, err := stranger.Send(t.Context(), Execution{}, "AC-1002"); return err },
		"refund":   func() error { _, err := stranger.Refund(t.Context(), Execution{}, "AC-1001", nil); return err },
	} {
		assert.ErrorIs(t, call(), ErrNotFound, name)
	}
	lines, err := stranger.Lines(t.Context(), "AC-1001")
	require.NoError(t, err)
	assert.Empty(t, lines)
	balances, err := stranger.Balances(t.Context(), "c_max")
	require.NoError(t, err)
	assert.Empty(t, balances)
}

func TestCreate_NumbersInvoicesWithoutGaps(t *testing.T) {
	t.Parallel()
	books := acme(t)
	create := func(n NewInvoice) (string, error) {
		created, err := books.Create(t.Context(), Execution{}, n)
		return created.Number, err
	}
	first, err := create(newInvoice(1))
	require.NoError(t, err)
	_, err = create(NewInvoice{Customer: "c_anna", Currency: "EUR", Lines: []Line{{"Gold", 10_000, MaxAmount}}})
	require.ErrorIs(t, err, ErrTotal)
	_, err = create(NewInvoice{Customer: "c_selma", Currency: "EUR", Lines: []Line{{"Bread", 1, 1}}})
	require.ErrorIs(t, err, ErrNotFound)
	second, err := create(newInvoice(1))
	require.NoError(t, err)
	assert.Equal(t, []string{"AC-1005", "AC-1006"}, []string{first, second})
}

func TestExecution_HasItsEffectOnce(t *testing.T) {
	t.Parallel()
	books := acme(t)
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	books.ledger.now = func() time.Time { return now }
	create := func(key string, quantity int) (Invoice, error) {
		n := newInvoice(quantity)
		return books.Create(t.Context(), Execution{Key: key, Request: n}, n)
	}
	first, err := create("k1", 3)
	require.NoError(t, err)
	assert.Equal(t, Amount(37_50), first.Total)

	now = now.Add(Retention)
	again, err := create("k1", 3)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	_, err = create("k1", 4)
	require.ErrorIs(t, err, ErrKeyReused)
	other, err := create("k2", 3)
	require.NoError(t, err)
	assert.NotEqual(t, first.Number, other.Number)

	now = now.Add(time.Second)
	later, err := create("k1", 3)
	require.NoError(t, err)
	assert.NotEqual(t, first.Number, later.Number, "after the retention it is a new call")
}

func TestExecution_ThatFailedLeavesNoKey(t *testing.T) {
	t.Parallel()
	books := acme(t)
	e := Execution{Key: "k1", Request: "AC-1002"}
	_, err := books.Refund(t.Context(), e, "AC-1002", nil)
	require.ErrorIs(t, err, ErrNotPaid)
	_, err = books.Send(t.Context(), e, "AC-1002")
	require.NoError(t, err)
}

func TestRefund_IsAtMostTheRest(t *testing.T) {
	t.Parallel()
	books := acme(t)
	refund := func(a Amount) error {
		_, err := books.Refund(t.Context(), Execution{}, "AC-1001", &a)
		return err
	}
	require.ErrorIs(t, refund(0), ErrRefundAmount)
	require.ErrorIs(t, refund(1_000_01), ErrRefundAmount, "250.00 of 1250.00 are refunded already")
	require.NoError(t, refund(400_00))
	full, err := books.Refund(t.Context(), Execution{}, "AC-1001", nil)
	require.NoError(t, err)
	assert.Equal(t, full.Total, full.Refunded)
	_, err = books.Refund(t.Context(), Execution{}, "AC-1001", nil)
	require.ErrorIs(t, err, ErrRefundAmount)
	now := books.ledger.time()
	month, err := books.Revenue(t.Context(), now.Format("2006-01"), "EUR")
	require.NoError(t, err)
	assert.Equal(t, Amount(1_000_00), month.Refunded)
}

func TestVoid_TakesBackWhatIsNotPaid(t *testing.T) {
	t.Parallel()
	books := acme(t)
	for range 2 { // the second changes nothing
		voided, err := books.Void(t.Context(), "AC-1002")
		require.NoError(t, err)
		assert.Equal(t, StatusVoid, voided.Status)
	}
	_, err := books.Void(t.Context(), "AC-1001")
	require.ErrorIs(t, err, ErrPaid)
	_, err = books.Send(t.Context(), Execution{}, "AC-1002")
	require.ErrorIs(t, err, ErrVoid)
	balances, err := books.Balances(t.Context(), "c_max")
	require.NoError(t, err)
	assert.Empty(t, balances, "a void invoice is not owed")
}
