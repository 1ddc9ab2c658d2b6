package billing

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// maxFound caps the invoices that a search returns.
const maxFound = 100

// A SearchInput holds the arguments of invoices.search.
type SearchInput struct {
	By     By   `json:"by" jsonschema_description:"What to search by: customer, number or period."`
	Unpaid bool `json:"unpaid,omitempty" jsonschema_description:"Only those that were neither paid nor voided."`
}

// By is a choice: exactly one of its members is given.
type By struct {
	_ contract.OneOf

	Customer *string `json:"customer,omitempty" jsonschema:"minLength=1,maxLength=50" jsonschema_description:"Id of the customer."`
	Number   *string `json:"number,omitempty" jsonschema:"minLength=1,maxLength=50" jsonschema_description:"Number such as AC-1001."`
	Period   *Period `json:"period,omitempty" jsonschema_description:"Time of issue."`
}

// A Period is a range of days. Both are included.
type Period struct {
	From string `json:"from" jsonschema:"format=date" jsonschema_description:"First day, such as 2026-11-01."`
	To   string `json:"to" jsonschema:"format=date" jsonschema_description:"Last day, such as 2026-11-30."`
}

// A SearchOutput is the result of invoices.search, sorted by number.
type SearchOutput struct {
	Invoices []ledger.Invoice `json:"invoices"`
}

func (d *Desk) search(ctx context.Context, in SearchInput) (SearchOutput, error) {
	s := ledger.Search{Unpaid: in.Unpaid}
	switch by := in.By; {
	case by.Customer != nil:
		s.Customer = *by.Customer
	case by.Number != nil:
		s.Number = *by.Number
	case by.Period != nil:
		s.From, s.To = by.Period.From, by.Period.To
	}
	found, err := d.books(ctx).Search(ctx, s, maxFound)
	return SearchOutput{found}, err
}

func (d *Desk) invoicesSearch() contract.Buildable {
	return contract.New("invoices.search", d.search).
		From(defaults()).
		Title("Search invoices").
		Description("Finds at most 100 invoices of the account, by customer, by number or by the time of issue.").
		Effect(risk.ReadOnly).
		Trust(trust.Trusted). // this system makes every member
		Permissions("invoices:read")
}
