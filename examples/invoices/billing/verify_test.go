package billing

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/verify"
)

// booksOf returns what the books of both accounts hold.
func booksOf(t testing.TB, l *ledger.Ledger) any {
	t.Helper()
	var all []any
	for _, account := range []string{"acme", "globex"} {
		books := l.Account(account)
		customers, err := books.Customers(t.Context())
		require.NoError(t, err)
		invoices, err := books.Search(t.Context(), ledger.Search{}, 1000)
		require.NoError(t, err)
		all = append(all, customers, invoices)
	}
	return all
}

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	t.Parallel()
	line := ledger.Line{Description: "Tea", Quantity: 1, UnitPrice: 250}
	cases := map[string][]verify.Option{
		"customers.get": {verify.Case{Input: CustomerInput{"c_anna"}}},
		"invoices.create": {
			verify.Case{Input: CreateInput{CustomerInput: CustomerInput{"c_anna"}, Currency: "EUR", Lines: []ledger.Line{line}}},
		},
		"invoices.void":  {verify.Case{Input: InvoiceInput{"AC-1004"}}, verify.Case{Name: "paid", Input: InvoiceInput{"AC-1001"}}},
		"invoices.send":  {verify.Case{Input: InvoiceInput{"AC-1004"}}, verify.Case{Name: "sent", Input: InvoiceInput{"AC-1001"}}},
		"invoices.image": {verify.Case{Input: InvoiceInput{"AC-1001"}}},
		"refunds.issue": {
			verify.Case{Name: "full", Input: RefundInput{InvoiceInput{"AC-1003"}, Refund{Full: &struct{}{}}}},
			verify.Case{Name: "too much", Input: RefundInput{InvoiceInput{"AC-1001"}, Refund{Partial: &Partial{Amount: 99999999}}}},
			verify.Case{Name: "unpaid", Input: RefundInput{InvoiceInput{"AC-1002"}, Refund{Full: &struct{}{}}}},
		},
		"data.export_all": {
			verify.WithAccepted("failure.undeclared", "The example exports nothing, and no agent reaches the handler."),
			verify.WithAccepted("handler.neverSucceeded", "The example exports nothing."),
		},
		"reports.revenue": {verify.Case{Input: RevenueInput{Year: 2025, Currency: "EUR"}}},
	}
	names, err := new(Desk).Tools()
	require.NoError(t, err)
	for i, tool := range names {
		t.Run(tool.Name(), func(t *testing.T) {
			t.Parallel()
			desk := &Desk{}
			all, err := desk.Tools()
			require.NoError(t, err)
			verify.Tool(t, all[i], append(cases[tool.Name()], booksFor(desk),
				verify.WithAllowance(os.TempDir(), "It is the database, whose rows the state has."))...)
		})
	}
}
