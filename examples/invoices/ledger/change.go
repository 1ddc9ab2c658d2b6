package ledger

import (
	"context"
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

// Void takes an invoice back. An invoice that is void stays as it is. The error
// is ErrNotFound or ErrPaid.
func (b Books) Void(ctx context.Context, number string) (Invoice, error) {
	// One statement, so that it needs no transaction.
	if _, err := b.ledger.db.ExecContext(ctx, "UPDATE invoices SET voided_at = coalesce(voided_at, ?) "+
		"WHERE account = ? AND number = ? AND paid_at IS NULL", b.ledger.time(), b.account, number); err != nil {
		return Invoice{}, err
	}
	found, err := b.Invoice(ctx, number)
	if err == nil {
		err = found.CanVoid()
	}
	if err != nil {
		return Invoice{}, err
	}
	return found, nil
}

// Send queues an email with an invoice to its customer. The error is
// ErrNotFound or ErrVoid.
func (b Books) Send(ctx context.Context, tx Tx, number string) (Invoice, error) {
	return b.change(ctx, tx, number, func(i Invoice) error {
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
// amount is nil. The error is ErrNotFound, ErrNotPaid or ErrRefundAmount.
func (b Books) Refund(ctx context.Context, tx Tx, number string, amount *Amount) (Invoice, error) {
	return b.change(ctx, tx, number, func(i Invoice) error {
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

// change changes an invoice and returns it as it is then.
func (b Books) change(ctx context.Context, tx Tx, number string, do func(Invoice) error) (Invoice, error) {
	found, err := b.invoice(ctx, tx, number)
	if err != nil {
		return Invoice{}, err
	}
	if err := do(found); err != nil {
		return Invoice{}, err
	}
	return b.invoice(ctx, tx, number)
}
