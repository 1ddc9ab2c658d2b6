package ledger

import (
	"context"
	"database/sql"
	"errors"
)

// The reasons why an invoice cannot be changed.
var (
	ErrPaid         = errors.New("ledger: the invoice is paid")
	ErrVoid         = errors.New("ledger: the invoice is void")
	ErrNotPaid      = errors.New("ledger: the invoice is not paid")
	ErrRefundAmount = errors.New("ledger: the refund is not between 0.01 and the rest of the invoice")
)

// CanVoid returns ErrPaid for an invoice that cannot be voided.
func (i Invoice) CanVoid() error {
	if i.Status == StatusPaid {
		return ErrPaid
	}
	return nil
}

// Void takes an invoice back, and forgets the executions that led to it, so
// that an equal invoice can be created. An invoice that is void stays as it is.
// The error is ErrNotFound or ErrPaid.
func (b Books) Void(ctx context.Context, number string) (Invoice, error) {
	return b.change(ctx, Execution{}, number, func(ctx context.Context, tx *sql.Tx, i Invoice) error {
		if err := i.CanVoid(); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE invoices SET voided_at = coalesce(voided_at, ?) WHERE number = ?",
			b.ledger.time(), number); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM executions WHERE result ->> 'number' = ?", number)
		return err
	})
}

// Send queues an email with an invoice to its customer. The error is
// ErrNotFound, ErrVoid or ErrKeyReused.
func (b Books) Send(ctx context.Context, e Execution, number string) (Invoice, error) {
	return b.change(ctx, e, number, func(ctx context.Context, tx *sql.Tx, i Invoice) error {
		if i.Status == StatusVoid {
			return ErrVoid
		}
		now := b.ledger.time()
		if _, err := tx.ExecContext(ctx,
			"INSERT INTO outbox (invoice, recipient, queued_at) SELECT ?, email, ? FROM customers WHERE id = ?", number, now,
			i.Customer); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE invoices SET sent_at = coalesce(sent_at, ?) WHERE number = ?", now, number)
		return err
	})
}

// Refund pays a part of a paid invoice back, or all that is left of it if
// amount is nil. The error is ErrNotFound, ErrNotPaid, ErrRefundAmount or
// ErrKeyReused.
func (b Books) Refund(ctx context.Context, e Execution, number string, amount *Amount) (Invoice, error) {
	return b.change(ctx, e, number, func(ctx context.Context, tx *sql.Tx, i Invoice) error {
		rest := i.Total - i.Refunded
		if amount == nil {
			amount = &rest
		}
		switch {
		case i.Status != StatusPaid:
			return ErrNotPaid
		case *amount <= 0 || *amount > rest:
			return ErrRefundAmount
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO refunds (invoice, amount, issued_at) VALUES (?, ?, ?)", number,
			*amount, b.ledger.time()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE invoices SET refunded = refunded + ? WHERE number = ?", *amount, number)
		return err
	})
}

// change changes an invoice, once for each execution, and returns it as it is
// then.
func (b Books) change(ctx context.Context, e Execution, number string,
	do func(context.Context, *sql.Tx, Invoice) error) (Invoice, error) {
	return once(ctx, b.ledger, e, func(ctx context.Context, tx *sql.Tx) (Invoice, error) {
		found, err := b.invoice(ctx, tx, number)
		if err != nil {
			return Invoice{}, err
		}
		if err := do(ctx, tx, found); err != nil {
			return Invoice{}, err
		}
		return b.invoice(ctx, tx, number)
	})
}
