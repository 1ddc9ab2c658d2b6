package billing

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A RevenueInput holds the arguments of reports.revenue.
type RevenueInput struct {
	Year     int    `json:"year" jsonschema:"minimum=2000,maximum=2999" jsonschema_description:"Year such as 2026."`
	Currency string `json:"currency" jsonschema:"enum=EUR,enum=USD" jsonschema_description:"Only invoices in this currency."`
}

// A RevenueOutput is the result of reports.revenue.
type RevenueOutput struct {
	Months   []ledger.Month `json:"months" jsonschema_description:"The twelve months of the year."`
	Invoiced ledger.Amount  `json:"invoiced"`
	Refunded ledger.Amount  `json:"refunded"`
}

// revenue reports its progress after each month, and ends when the caller
// cancels the call.
func (d *Desk) revenue(ctx context.Context, in RevenueInput) (RevenueOutput, error) {
	const months = 12
	books := d.books(ctx)
	var out RevenueOutput
	for i := range months {
		m, err := books.Revenue(ctx, fmt.Sprintf("%d-%02d", in.Year, i+1), in.Currency)
		if err != nil {
			return RevenueOutput{}, err
		}
		out.Months = append(out.Months, m)
		out.Invoiced += m.Invoiced
		out.Refunded += m.Refunded
		guard.Progress(ctx, float64(i+1), months, m.Month)
		if err := pause(ctx, d.Pace); err != nil {
			return RevenueOutput{}, err
		}
	}
	return out, nil
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (d *Desk) reportsRevenue() contract.Buildable {
	return contract.New("reports.revenue", d.revenue).
		From(defaults()).
		Title("Report revenue").
		Description("Adds up the invoices and refunds of a year by month. It takes some seconds.").
		Effect(risk.ReadOnly).
		Trust(trust.Trusted).
		Permissions("reports:read").
		Timeout(5 * time.Minute)
}
