package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// ErrTotal is returned for an invoice whose total is above MaxAmount.
var ErrTotal = errors.New("ledger: the total is too high")

// A NewInvoice is an invoice that is to be created.
type NewInvoice struct {
	Customer string
	Currency string
	DueDate  sql.NullString
	Lines    []Line // at most 50
}

// Create adds a draft under the next number of the account. Numbers have no
// gaps, because a number is taken in the transaction that adds the invoice. The
// error is ErrNotFound or ErrTotal.
func (b Books) Create(ctx context.Context, tx Tx, n NewInvoice) (Invoice, error) {
	total := Amount(0)
	for _, line := range n.Lines {
		total += line.Total()
	}
	if total > MaxAmount {
		return Invoice{}, ErrTotal
	}
	number, err := b.nextNumber(ctx, tx)
	if err != nil {
		return Invoice{}, err
	}
	added, err := tx.ExecContext(ctx, `INSERT INTO invoices (number, account, customer, currency, total, issued_at, due_date)
		SELECT ?, account, id, ?, ?, ?, ? FROM customers WHERE account = ? AND id = ?`,
		number, n.Currency, total, b.ledger.time(), n.DueDate, b.account, n.Customer)
	if err := changedOne(added, err); err != nil {
		return Invoice{}, err
	}
	for i, line := range n.Lines {
		if _, err := tx.ExecContext(ctx, "INSERT INTO lines VALUES (?, ?, ?, ?, ?)", number, i+1, line.Description,
			line.Quantity, line.UnitPrice); err != nil {
			return Invoice{}, err
		}
	}
	return b.invoice(ctx, tx, number)
}

func (b Books) nextNumber(ctx context.Context, tx Tx) (string, error) {
	var prefix string
	var number int
	err := tx.QueryRowContext(ctx, "UPDATE accounts SET next_number = next_number + 1 WHERE name = ? RETURNING prefix, "+
		"next_number - 1", b.account).Scan(&prefix, &number)
	return fmt.Sprintf("%s-%d", prefix, number), notFound(err)
}

// changedOne returns ErrNotFound for a statement that changed no row.
func changedOne(r sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return ErrNotFound
}
