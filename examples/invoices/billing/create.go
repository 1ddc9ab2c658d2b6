package billing

import (
	"context"
	"database/sql"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

// A CreateInput holds the arguments of invoices.create.
type CreateInput struct {
	CustomerInput

	Currency string         `json:"currency" jsonschema:"enum=EUR,enum=USD" jsonschema_description:"Currency of all prices."`
	DueDate  sql.NullString `json:"dueDate,omitzero" jsonschema:"format=date" jsonschema_description:"Day such as 2026-12-31. Null: due on receipt."`
	Lines    []ledger.Line  `json:"lines" jsonschema:"minItems=1,maxItems=50" jsonschema_description:"What is charged."`
}

func (d *Desk) create(ctx context.Context, in CreateInput) (ledger.Invoice, error) {
	tx, err := sqlstore.Tx(ctx)
	if err != nil {
		return ledger.Invoice{}, err
	}
	created, err := d.books(ctx).Create(ctx, tx, ledger.NewInvoice{
		Customer: in.Customer, Currency: in.Currency, DueDate: in.DueDate, Lines: in.Lines,
	})
	return created, failed(err)
}

// isStillCreated reports whether the invoice of an earlier call is in the
// books. Voiding it undoes that call, so that an equal call creates another.
func (d *Desk) isStillCreated(ctx context.Context, _ CreateInput, created ledger.Invoice) (bool, error) {
	found, err := d.books(ctx).Invoice(ctx, created.Number)
	return found.Status != ledger.StatusVoid, err
}

func (d *Desk) invoicesCreate() contract.Buildable {
	return contract.New("invoices.create", d.create).
		From(defaults()).
		Title("Create invoice").
		Description("Creates a draft of an invoice under the next number. Nothing is sent; use invoices.send for that.").
		Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).
		Permissions("invoices:write").
		Authorize(func(ctx context.Context, p contract.Principal, in CreateInput) error {
			return d.ownCustomer(ctx, p, in.CustomerInput)
		}).
		SideEffects(contract.SideEffect{
			Description: "One draft is in the books.",
			Reach:       contract.Internal,
			Undo:        contract.Reversible,
			OnRepeat:    "None for a day, for the same idempotency key, or without one for the same invoice: the first draft is returned.",
		}).
		Failures(ErrTotal).
		Idempotency(atomic()).
		ReplayWhile(d.isStillCreated).
		AuditEvent("invoice.created")
}
