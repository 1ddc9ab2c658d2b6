package billing

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
)

// A Desk offers the tools. It is safe for concurrent use once Tools was called.
type Desk struct {
	// Ledger has the books. Open sets it.
	Ledger *ledger.Ledger
	// Pace is how long the report of revenue takes for a month, so that the
	// example has a long call. Zero: no longer than necessary.
	Pace time.Duration
}

// Tools returns the tools of the desk. The error names every mistake in their
// contracts.
func (d *Desk) Tools() ([]*contract.Tool, error) {
	return contract.BuildAll(
		d.customersList(), d.customersGet(),
		d.invoicesSearch(), d.invoicesCreate(), d.invoicesVoid(), d.invoicesSend(), d.invoicesImage(),
		d.refundsIssue(), d.reportsRevenue(), dataExportAll(),
	)
}

// defaults returns the clauses that all tools share. The schema of an amount is
// given once.
func defaults() contract.Base {
	return contract.Base{
		Version:  "1.0.0",
		Category: "billing",
		TypeSchemas: []contract.TypeSchema{contract.TypeSchemaFor(
			json.RawMessage(`{"type":"string","pattern":"^(0|[1-9][0-9]{0,9})[.][0-9]{2}$","examples":["12.50"]}`),
			ledger.Amount(1250), ledger.MaxAmount)},
	}
}

// atomic declares calls that change the books in the transaction that records
// them, so that a call takes place once, wherever the process dies.
func atomic() contract.Idempotency {
	return contract.Idempotency{Mode: idempotency.Managed, ClientKey: true, Atomic: true, Retention: 24 * time.Hour}
}

func (d *Desk) books(ctx context.Context) ledger.Books {
	caller, _ := guard.PrincipalFrom(ctx)
	return d.Ledger.Account(account(caller))
}

// account returns the account that a principal works for: its tenant. The
// callers of the example have no tenant. They all work for Acme.
func account(p contract.Principal) string {
	if p.Tenant == "" {
		return "acme"
	}
	return p.Tenant
}

// A CustomerInput names a customer.
type CustomerInput struct {
	Customer string `json:"customer" jsonschema:"minLength=1,maxLength=50" jsonschema_description:"Id of the customer, from customers.list."`
}

// An InvoiceInput names an invoice.
type InvoiceInput struct {
	Invoice string `json:"invoice" jsonschema:"minLength=1,maxLength=50" jsonschema_description:"Number such as AC-1001, from invoices.search."`
}

// ownCustomer allows calls about customers of the caller's account.
func (d *Desk) ownCustomer(ctx context.Context, p contract.Principal, in CustomerInput) error {
	_, err := d.Ledger.Account(account(p)).Customer(ctx, in.Customer)
	return decision(err)
}

// ownInvoice allows calls about invoices of the caller's account.
func (d *Desk) ownInvoice(ctx context.Context, p contract.Principal, in InvoiceInput) error {
	_, err := d.Ledger.Account(account(p)).Invoice(ctx, in.Invoice)
	return decision(err)
}

// decision keeps a broken database from looking like a lack of permission.
func decision(err error) error {
	if err == nil || errors.Is(err, ledger.ErrNotFound) {
		return err
	}
	return errors.Join(guard.ErrUnavailable, err)
}
