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

// A RefundInput holds the arguments of refunds.issue.
type RefundInput struct {
	InvoiceInput

	Refund Refund `json:"refund" jsonschema_description:"How much to refund: full or partial."`
}

// A Refund is a choice: exactly one of its members is given.
type Refund struct {
	_ contract.OneOf

	Full    *struct{} `json:"full,omitempty" jsonschema_description:"All that is left of the invoice."`
	Partial *Partial  `json:"partial,omitempty" jsonschema_description:"A part of the invoice."`
}

// A Partial is a part of an invoice.
type Partial struct {
	Amount ledger.Amount `json:"amount" jsonschema_description:"In the currency of the invoice."`
}

func (d *Desk) refund(ctx context.Context, in RefundInput) (ledger.Invoice, error) {
	tx, err := sqlstore.Tx(ctx)
	if err != nil {
		return ledger.Invoice{}, err
	}
	var amount *ledger.Amount
	if in.Refund.Partial != nil {
		amount = &in.Refund.Partial.Amount
	}
	refunded, err := d.books(ctx).Refund(ctx, tx, in.Invoice, amount)
	return refunded, failed(err)
}

func (d *Desk) refundsIssue() contract.Buildable {
	return contract.New("refunds.issue", d.refund).
		From(defaults()).
		Title("Issue refund").
		Description("Pays a paid invoice back to its customer, in full or in part.").
		Effect(risk.HighRiskWrite).
		SecurityLevel(8).
		Trust(trust.Trusted).
		Permissions("refunds:issue").
		ConfirmNever("Each refund takes an authentication of the user's own, not older than five minutes; a question "+
			"beside it would be answered without being read.").
		StepUp(contract.StepUp{When: "Every refund.", MaxAge: 5 * time.Minute}).
		Authorize(func(ctx context.Context, p contract.Principal, in RefundInput) error {
			return d.ownInvoice(ctx, p, in.InvoiceInput)
		}).
		SideEffects(contract.SideEffect{
			Description: "The amount goes to the customer.",
			Reach:       contract.External,
			Undo:        contract.Irreversible,
			OnRepeat: "None for a day, unless the call has another idempotency key. Then the amount is paid again, as " +
				"long as something is left.",
			Affects: "The account and the customer.",
		}).
		Failures(ErrNotPaid, ErrRefundAmount).
		Idempotency(atomic()).
		Timeout(10 * time.Second).
		AuditEvent("refund.issued")
}
