package ledger

import "context"

// A Month is the revenue of one month, such as 2026-11.
type Month struct {
	Month    string `json:"month"`
	Invoiced Amount `json:"invoiced"`
	Refunded Amount `json:"refunded"`
}

// Revenue returns what the invoices of a month demand, without those that are
// drafts or void, and what was refunded in that month.
func (b Books) Revenue(ctx context.Context, month, currency string) (Month, error) {
	m := Month{Month: month}
	err := b.ledger.db.QueryRowContext(ctx, `SELECT
		(SELECT coalesce(sum(total), 0) FROM invoices
			WHERE account = ?1 AND currency = ?2 AND sent_at IS NOT NULL AND voided_at IS NULL AND strftime('%Y-%m', issued_at) = ?3),
		(SELECT coalesce(sum(amount), 0) FROM refunds JOIN invoices ON number = invoice
			WHERE account = ?1 AND currency = ?2 AND strftime('%Y-%m', refunds.issued_at) = ?3)`,
		b.account, currency, month).Scan(&m.Invoiced, &m.Refunded)
	return m, err
}
