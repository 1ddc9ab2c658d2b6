package docs_test

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type invoiceInput struct {
	Number string `json:"number"`
}

type invoiceOutput struct {
	Cents int `json:"cents"`
}

func getInvoice(context.Context, invoiceInput) (invoiceOutput, error) {
	return invoiceOutput{4000}, nil
}

// ownerOf stands in for your database.
func ownerOf(number string) string { return map[string]string{"17": "anna"}[number] }

func Example_permissions() {
	get := contract.New("invoices.get", getInvoice).
		Description("Returns an invoice.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).
		Permissions("invoices:read").
		Authorize(func(_ context.Context, p contract.Principal, in invoiceInput) error {
			if ownerOf(in.Number) != p.Subject {
				return errors.New("another customer's invoice")
			}
			return nil
		}).
		MustBuild()

	callerOf(get, anna("invoices:read")).call(`{"number":"17"}`)
	callerOf(get, anna("invoices:read")).call(`{"number":"18"}`)
	callerOf(get, anna("orders:read")).call(`{"number":"17"}`)
	callerOf(get, contract.Principal{}).call(`{"number":"17"}`)
	// Output:
	// {"cents":4000}
	// [FATAL] permission_denied: the caller may not make this call with these arguments, or they name something that does not exist
	// [FATAL] permission_denied: missing permissions: invoices:read
	// [FATAL] unauthenticated: the tool needs an authenticated caller
}
