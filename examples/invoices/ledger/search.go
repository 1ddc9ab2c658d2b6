package ledger

import (
	"context"
	"strings"
)

// A Search selects invoices. Conditions that are empty do not apply.
type Search struct {
	Customer string
	Number   string
	// From and To are dates such as 2026-11-30, and bound the date of issue.
	// Both are included.
	From, To string
	// Unpaid selects the invoices that were neither paid nor voided.
	Unpaid bool
}

// Search returns the selected invoices, sorted by number, at most limit.
func (b Books) Search(ctx context.Context, s Search, limit int) ([]Invoice, error) {
	where, args := []string{"account = ?"}, []any{b.account}
	for _, c := range []struct{ condition, value string }{
		{"customer = ?", s.Customer}, {"number = ?", s.Number}, {"date(issued_at) >= ?", s.From}, {"date(issued_at) <= ?", s.To},
	} {
		if c.value != "" {
			where = append(where, c.condition)
			args = append(args, c.value)
		}
	}
	if s.Unpaid {
		where = append(where, "paid_at IS NULL AND voided_at IS NULL")
	}
	rows, err := b.ledger.db.QueryContext(ctx,
		selectInvoice+"WHERE "+strings.Join(where, " AND ")+" ORDER BY number LIMIT ?", append(args, limit)...)
	if err != nil {
		return nil, err
	}
	return collect(rows, scanInvoice)
}
