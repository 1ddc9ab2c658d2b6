package ledger

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// open opens a ledger whose database is closed when the test ends.
func open(t *testing.T, path string) *Ledger {
	t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: "_pragma=busy_timeout(5000)"}).String())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	l, err := Open(t.Context(), db)
	require.NoError(t, err)
	return l
}

func fresh(t *testing.T) *Ledger {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "books of 100%?.db"))
}

func acme(t *testing.T) Books {
	t.Helper()
	return fresh(t).Account("acme")
}

// in runs a change in a transaction, which it commits if there is no error.
func in(t *testing.T, b Books, change func(Tx) (Invoice, error)) (Invoice, error) {
	t.Helper()
	tx, err := b.ledger.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer tx.Rollback()
	changed, err := change(tx)
	if err == nil {
		require.NoError(t, tx.Commit())
	}
	return changed, err
}

func create(t *testing.T, b Books, n NewInvoice) (Invoice, error) {
	t.Helper()
	return in(t, b, func(tx Tx) (Invoice, error) { return b.Create(t.Context(), tx, n) })
}

func send(t *testing.T, b Books, number string) (Invoice, error) {
	t.Helper()
	return in(t, b, func(tx Tx) (Invoice, error) { return b.Send(t.Context(), tx, number) })
}

func refund(t *testing.T, b Books, number string, amount *Amount) (Invoice, error) {
	t.Helper()
	return in(t, b, func(tx Tx) (Invoice, error) { return b.Refund(t.Context(), tx, number, amount) })
}

func newInvoice(quantity int) NewInvoice {
	return NewInvoice{Customer: "c_anna", Currency: "EUR", Lines: []Line{{"Bread", quantity, 12_50}}}
}

func TestOpen_AtOnceMakesTheBooksOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "books.db")
	var wait sync.WaitGroup
	for range 4 { // processes
		wait.Go(func() {
			all, err := open(t, path).Account("acme").Search(t.Context(), Search{}, 100)
			assert.NoError(t, err)
			assert.Len(t, all, 4)
		})
	}
	wait.Wait()
	first, second := open(t, path).Account("acme"), open(t, path).Account("acme")
	created, err := create(t, first, newInvoice(3))
	require.NoError(t, err)
	found, err := second.Invoice(t.Context(), created.Number)
	require.NoError(t, err)
	assert.Equal(t, created, found, "another process reads what was committed")
}

func TestBooks_AreThoseOfOneAccount(t *testing.T) {
	t.Parallel()
	l := fresh(t)
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
		"create":   func() error { _, err := create(t, stranger, newInvoice(1)); return err },
		"void":     func() error { _, err := stranger.Void(t.Context(), "AC-1002"); return err },
		"send":     func() error { _, err := send(t, stranger, "AC-1002"); return err },
		"refund":   func() error { _, err := refund(t, stranger, "AC-1001", nil); return err },
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
	first, err := create(t, books, newInvoice(1))
	require.NoError(t, err)
	_, err = create(t, books, NewInvoice{Customer: "c_anna", Currency: "EUR", Lines: []Line{{"Gold", 10_000, MaxAmount}}})
	require.ErrorIs(t, err, ErrTotal)
	_, err = create(t, books, NewInvoice{Customer: "c_selma", Currency: "EUR", Lines: []Line{{"Bread", 1, 1}}})
	require.ErrorIs(t, err, ErrNotFound)
	second, err := create(t, books, newInvoice(1))
	require.NoError(t, err)
	assert.Equal(t, []string{"AC-1005", "AC-1006"}, []string{first.Number, second.Number})
}

func TestRefund_IsAtMostTheRest(t *testing.T) {
	t.Parallel()
	books := acme(t)
	part := func(a Amount) error {
		_, err := refund(t, books, "AC-1001", &a)
		return err
	}
	require.ErrorIs(t, part(0), ErrRefundAmount)
	require.ErrorIs(t, part(1_000_01), ErrRefundAmount, "250.00 of 1250.00 are refunded already")
	require.NoError(t, part(400_00))
	full, err := refund(t, books, "AC-1001", nil)
	require.NoError(t, err)
	assert.Equal(t, full.Total, full.Refunded)
	_, err = refund(t, books, "AC-1001", nil)
	require.ErrorIs(t, err, ErrRefundAmount)
	month, err := books.Revenue(t.Context(), books.ledger.now().UTC().Format("2006-01"), "EUR")
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
	_, err = send(t, books, "AC-1002")
	require.ErrorIs(t, err, ErrVoid)
	balances, err := books.Balances(t.Context(), "c_max")
	require.NoError(t, err)
	assert.Empty(t, balances, "a void invoice is not owed")
}
