package billing

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A CustomerList is the result of customers.list.
type CustomerList struct {
	Customers []ledger.Customer `json:"customers"`
}

func (d *Desk) listCustomers(ctx context.Context, _ struct{}) (CustomerList, error) {
	all, err := d.books(ctx).Customers(ctx)
	return CustomerList{all}, err
}

func (d *Desk) customersList() contract.Buildable {
	return contract.New("customers.list", d.listCustomers).
		From(defaults()).
		Title("List customers").
		Description("Lists the customers of the account.").
		Effect(risk.ReadOnly).
		Trust(trust.Untrusted). // customers choose their names
		Permissions("customers:read")
}

// A CustomerOutput is the result of customers.get.
type CustomerOutput struct {
	Customer ledger.Customer  `json:"customer"`
	Balances []ledger.Balance `json:"balances" jsonschema_description:"What the customer owes, by currency."`
}

func (d *Desk) getCustomer(ctx context.Context, in CustomerInput) (CustomerOutput, error) {
	books := d.books(ctx)
	customer, err := books.Customer(ctx, in.Customer)
	if err != nil {
		return CustomerOutput{}, err
	}
	balances, err := books.Balances(ctx, in.Customer)
	return CustomerOutput{customer, balances}, err
}

func (d *Desk) customersGet() contract.Buildable {
	return contract.New("customers.get", d.getCustomer).
		From(defaults()).
		Title("Get customer").
		Description("Returns one customer, and what the customer owes.").
		Effect(risk.ReadOnly).
		Trust(trust.Untrusted).
		Permissions("customers:read").
		Authorize(d.ownCustomer)
}
