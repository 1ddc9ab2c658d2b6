package billing

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/fuzz"
)

// booksFor makes books of their own for each case.
func booksFor(desk *Desk) verify.Option {
	return verify.WithFixture(func(t testing.TB) verify.Fixture { return openBooks(t, desk) })
}

// openBooks opens books that end with the test, and the store of the calls.
func openBooks(t testing.TB, desk *Desk) verify.Fixture {
	t.Helper()
	file, err := desk.openFile(filepath.Join(t.TempDir(), "books.db"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	records, err := sqlstore.Open(file.DB(), sqlstore.SQLite)
	require.NoError(t, err)
	books := desk.Ledger
	return verify.Fixture{Store: records, State: func() any { return booksOf(t, books) }}
}

// FuzzDesk calls the tools in sequences, for two accounts. An invoice of one
// account is none for the other.
func FuzzDesk(f *testing.F) {
	desk := &Desk{}
	all, err := desk.Tools()
	require.NoError(f, err)
	callable := all[:0]
	for _, tool := range all {
		if tool.Document().Risk != risk.Forbidden {
			callable = append(callable, tool)
		}
	}
	permissions := contract.PermissionsOf(callable...)
	invoice := map[string]string{
		"invoices.void": "/invoice", "invoices.send": "/invoice", "invoices.image": "/invoice", "refunds.issue": "/invoice",
	}
	fuzz.Tools(f, callable,
		booksFor(desk),
		verify.WithDrawn(10),
		verify.WithCallers(
			contract.Principal{Subject: "clara", Tenant: "acme", Human: true, AuthTime: time.Now(), ACR: "mfa", Permissions: permissions},
			contract.Principal{
				Subject: "greta", Tenant: "globex", Human: true, AuthTime: time.Now(), ACR: "mfa", Permissions: permissions,
			}),
		verify.Case{Tool: "customers.get", Input: CustomerInput{"c_anna"}},
		verify.Case{
			Tool: "invoices.create", Input: CreateInput{
				CustomerInput: CustomerInput{"c_anna"}, Currency: "EUR",
				Lines: []ledger.Line{{Description: "Tea", Quantity: 1, UnitPrice: 250}},
			},
		},
		verify.Case{Tool: "invoices.void", Input: InvoiceInput{"AC-1004"}},
		verify.Case{Tool: "invoices.send", Input: InvoiceInput{"AC-1004"}},
		verify.Case{Tool: "invoices.image", Input: InvoiceInput{"AC-1001"}},
		verify.Case{Tool: "refunds.issue", Input: RefundInput{InvoiceInput{"AC-1003"}, Refund{Full: &struct{}{}}}},
		verify.Case{Tool: "reports.revenue", Input: RevenueInput{Year: 2025, Currency: "EUR"}},
		verify.WithResource(verify.Resource{
			Name: "invoice", Created: map[string]string{"invoices.create": "/number"}, Used: invoice,
		}))
}

func TestCreate_IsIdempotentAcrossReplicas(t *testing.T) {
	t.Parallel()
	desk := &Desk{}
	all, err := desk.Tools()
	require.NoError(t, err)
	opts := []verify.Option{
		booksFor(desk),
		verify.WithEffects(func(input string) int {
			var in CreateInput
			if err := json.Unmarshal([]byte(input), &in); err != nil {
				return -1
			}
			invoices, err := desk.Ledger.Account("acme").Search(t.Context(), ledger.Search{}, 1000)
			require.NoError(t, err)
			n := 0
			for _, i := range invoices {
				if i.Status == "draft" && i.Total == in.Lines[0].UnitPrice {
					n++
				}
			}
			return n
		}),
	}
	for cents := ledger.Amount(1111); cents < 1115; cents++ {
		opts = append(opts, verify.Case{Input: CreateInput{
			CustomerInput: CustomerInput{"c_anna"}, Currency: "EUR",
			Lines: []ledger.Line{{Description: "Tea", Quantity: 1, UnitPrice: cents}},
		}})
	}
	for _, tool := range all {
		if tool.Name() == "invoices.create" {
			verify.CheckIdempotency(t, tool, opts...)
		}
	}
}
