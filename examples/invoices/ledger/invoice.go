package ledger

import (
	"context"
	"database/sql"
	"time"
)

// The states of an invoice.
const (
	StatusDraft = "draft"
	StatusSent  = "sent"
	StatusPaid  = "paid"
	StatusVoid  = "void"
)

// An Invoice is a demand for money, without its lines.
type Invoice struct {
	Number   string         `json:"number"`
	Customer string         `json:"customer" jsonschema_description:"Id of the customer."`
	Status   string         `json:"status" jsonschema:"enum=draft,enum=sent,enum=paid,enum=void"`
	Currency string         `json:"currency"`
	Total    Amount         `json:"total"`
	Refunded Amount         `json:"refunded"`
	IssuedAt time.Time      `json:"issuedAt"`
	DueDate  sql.NullString `json:"dueDate" jsonschema:"format=date" jsonschema_description:"Null: due on receipt."`
	PaidAt   sql.NullTime   `json:"paidAt" jsonschema_description:"Null until it is paid."`
}

// A Line is one position of an invoice.
type Line struct {
	Description string `json:"description" jsonschema:"minLength=1,maxLength=200" jsonschema_description:"What is charged."`
	Quantity    int    `json:"quantity" jsonschema:"minimum=1,maximum=10000" jsonschema_description:"How many."`
	UnitPrice   Amount `json:"unitPrice" jsonschema_description:"The price of one, in the currency of the invoice."`
}

// Total returns the price of all units.
func (l Line) Total() Amount { return Amount(l.Quantity) * l.UnitPrice }

const selectInvoice = `SELECT number, customer, currency, total, refunded, issued_at, due_date, paid_at,
	CASE WHEN voided_at IS NOT NULL THEN 'void' WHEN paid_at IS NOT NULL THEN 'paid'
	     WHEN sent_at IS NOT NULL THEN 'sent' ELSE 'draft' END FROM invoices `

func scanInvoice(row scanner) (i Invoice, err error) {
	err = row.Scan(&i.Number, &i.Customer, &i.Currency, &i.Total, &i.Refunded, &i.IssuedAt, &i.DueDate, &i.PaidAt, &i.Status)
	return i, notFound(err)
}

// Invoice returns an invoice, or ErrNotFound.
func (b Books) Invoice(ctx context.Context, number string) (Invoice, error) {
	return b.invoice(ctx, b.ledger.db, number)
}

// A querier is the database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (b Books) invoice(ctx context.Context, q querier, number string) (Invoice, error) {
	return scanInvoice(q.QueryRowContext(ctx, selectInvoice+"WHERE account = ? AND number = ?", b.account, number))
}

// Lines returns the lines of an invoice, in their order.
func (b Books) Lines(ctx context.Context, number string) ([]Line, error) {
	rows, err := b.ledger.db.QueryContext(ctx, `SELECT description, quantity, unit_price FROM lines
		JOIN invoices ON number = invoice WHERE account = ? AND number = ? ORDER BY position`, b.account, number)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(row scanner) (Line, error) {
		var l Line
		return l, row.Scan(&l.Description, &l.Quantity, &l.UnitPrice)
	})
}
