package billing

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

func (d *Desk) send(ctx context.Context, in InvoiceInput) (ledger.Invoice, error) {
	tx, err := sqlstore.Tx(ctx)
	if err != nil {
		return ledger.Invoice{}, err
	}
	sent, err := d.books(ctx).Send(ctx, tx, in.Invoice)
	return sent, failed(err)
}

// sendable refuses a void invoice before a person is asked about it.
func (d *Desk) sendable(ctx context.Context, in InvoiceInput) error {
	invoice, err := d.books(ctx).Invoice(ctx, in.Invoice)
	if err == nil && invoice.Status == ledger.StatusVoid {
		err = ledger.ErrVoid
	}
	return failed(err)
}

func (d *Desk) invoicesSend() contract.Buildable {
	return contract.New("invoices.send", d.send).
		From(defaults()).
		Title("Send invoice").
		Description("Sends an invoice to its customer by email.").
		Effect(risk.ExternalPublication). // implies critical risk, so a person is always asked
		Trust(trust.Trusted).
		Permissions("invoices:send").
		Authorize(d.ownInvoice).
		Precheck(d.sendable).
		Question(func(in InvoiceInput) string { return "Send invoice " + in.Invoice + " to its customer" }).
		SideEffects(contract.SideEffect{
			Description: "One email with the invoice leaves the organisation.",
			Reach:       contract.External,
			Undo:        contract.Irreversible,
			OnRepeat:    "None for a day, unless the call has another idempotency key. Then the customer gets the invoice again.",
			Affects:     "The customer of the invoice.",
		}).
		Failures(ErrVoid).
		Idempotency(atomic()).
		Timeout(10 * time.Second).
		AuditEvent("invoice.sent")
}
