package ledger

import (
	"context"
	"database/sql"
)

// A Customer is somebody who gets invoices.
type Customer struct {
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Email string         `json:"email"`
	VATID sql.NullString `json:"vatId" jsonschema_description:"Null if the customer has none."`
}

const customerColumns = "id, name, email, vat_id"

func scanCustomer(row scanner) (c Customer, err error) {
	err = row.Scan(&c.ID, &c.Name, &c.Email, &c.VATID)
	return c, notFound(err)
}

// Customers returns all customers, sorted by id.
func (b Books) Customers(ctx context.Context) ([]Customer, error) {
	rows, err := b.ledger.db.QueryContext(ctx, "SELECT "+customerColumns+" FROM customers WHERE account = ? ORDER BY id", b.account)
	if err != nil {
		return nil, err
	}
	return collect(rows, scanCustomer)
}

// Customer returns a customer, or ErrNotFound.
func (b Books) Customer(ctx context.Context, id string) (Customer, error) {
	return scanCustomer(b.ledger.db.QueryRowContext(ctx,
		"SELECT "+customerColumns+" FROM customers WHERE account = ? AND id = ?", b.account, id))
}

// A Balance is what a customer owes in one currency.
type Balance struct {
	Currency string `json:"currency"`
	Open     Amount `json:"open"`
}

// Balances returns what a customer owes, sorted by currency: the sums of the
// invoices that were sent, and neither paid nor voided.
func (b Books) Balances(ctx context.Context, customer string) ([]Balance, error) {
	rows, err := b.ledger.db.QueryContext(ctx, `SELECT currency, sum(total) FROM invoices
		WHERE account = ? AND customer = ? AND sent_at IS NOT NULL AND paid_at IS NULL AND voided_at IS NULL
		GROUP BY currency ORDER BY currency`, b.account, customer)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(row scanner) (Balance, error) {
		var one Balance
		return one, row.Scan(&one.Currency, &one.Open)
	})
}
