package billing

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func (d *Desk) void(ctx context.Context, in InvoiceInput) (ledger.Invoice, error) {
	voided, err := d.books(ctx).Void(ctx, in.Invoice)
	return voided, failed(err)
}

// A VoidPreview is the part of the preview that invoices.void adds to a dry
// run.
type VoidPreview struct {
	Invoice ledger.Invoice `json:"invoice"`
}

// previewVoid shows the invoice. It changes nothing.
func (d *Desk) previewVoid(ctx context.Context, in InvoiceInput) (dryrun.Preview[VoidPreview], error) {
	found, err := d.books(ctx).Invoice(ctx, in.Invoice)
	if err == nil {
		err = found.CanVoid()
	}
	if err != nil {
		return dryrun.Preview[VoidPreview]{}, failed(err)
	}
	preview := dryrun.Preview[VoidPreview]{Data: VoidPreview{found}}
	switch found.Status {
	case ledger.StatusVoid:
		preview.ExpectedSideEffects = []string{"None: the invoice is void already."}
	case ledger.StatusSent:
		preview.Warnings = []string{"The customer has this invoice. Somebody must inform the customer."}
		fallthrough
	default:
		total, _ := found.Total.MarshalText()
		preview.ExpectedSideEffects = []string{
			fmt.Sprintf("%s over %s %s is void. Its number is not used again.", found.Number, total, found.Currency),
		}
	}
	return preview, nil
}

func (d *Desk) invoicesVoid() contract.Buildable {
	return contract.New("invoices.void", d.void).
		From(defaults()).
		Title("Void invoice").
		Description("Takes an invoice back that is not paid. Run it with dryRun first, and show the user the preview.").
		Effect(risk.HighRiskWrite). // implies high risk, so a person is asked
		Trust(trust.Trusted).
		Permissions("invoices:void").
		Authorize(d.ownInvoice).
		Question(func(in InvoiceInput) string { return "Take invoice " + in.Invoice + " back" }).
		SideEffects(contract.SideEffect{
			Description: "The invoice is void.",
			Reach:       contract.Internal,
			Undo:        contract.Irreversible,
			OnRepeat:    "None: the invoice is void already.",
			Affects:     "The customer of the invoice.",
		}).
		Failures(ErrPaid).
		Idempotency(contract.Idempotency{Mode: idempotency.Native}).
		DryRun(dryrun.By(d.previewVoid).Required()). // a call without its own preview answers dry_run_required
		AuditEvent("invoice.voided")
}
