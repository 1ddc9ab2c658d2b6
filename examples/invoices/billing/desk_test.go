package billing

import (
	"bytes"
	"encoding/json"
	"image/png"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// tools returns the tools of a desk with books of its own, and the options of
// their guard.
func tools(t *testing.T) ([]*contract.Tool, []guard.Option) {
	t.Helper()
	desk := new(Desk)
	backend, err := desk.Open("")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, backend.Close()) })
	all, err := desk.Tools()
	require.NoError(t, err)
	return all, backend.Options
}

// clerk returns a client of somebody at Acme who holds all permissions. Each
// client has books of its own.
func clerk(t *testing.T) *contracttest.Client {
	t.Helper()
	all, opts := tools(t)
	return contracttest.NewClient(t, all, opts...).
		As(contract.Principal{Subject: "clara", Permissions: contract.PermissionsOf(all...)})
}

// members are the arguments of a call.
type members map[string]any

func TestTools_DeclareTheirContracts(t *testing.T) {
	t.Parallel()
	all, _ := tools(t)
	contracttest.Check(t, all...)
	want := map[string]struct {
		risk         risk.Level
		confirmation contract.Confirmation
		authorized   bool
	}{
		"customers.list":  {risk.Low, contract.ConfirmationNever, false},
		"customers.get":   {risk.Low, contract.ConfirmationNever, true},
		"invoices.search": {risk.Low, contract.ConfirmationNever, false},
		"invoices.create": {risk.Medium, contract.ConfirmationNever, true},
		"invoices.void":   {risk.High, contract.ConfirmationAlways, true},
		"invoices.send":   {risk.Critical, contract.ConfirmationAlways, true},
		"invoices.image":  {risk.Low, contract.ConfirmationNever, true},
		"refunds.issue":   {risk.High, contract.ConfirmationNever, true},
		"reports.revenue": {risk.Low, contract.ConfirmationNever, false},
		"data.export_all": {risk.Forbidden, contract.ConfirmationAlways, false},
	}
	require.Len(t, all, len(want))
	for _, tool := range all {
		doc := tool.Document()
		assert.Equal(t, want[doc.Name].risk, doc.Risk, doc.Name)
		assert.Equal(t, want[doc.Name].confirmation, doc.Confirmation, doc.Name)
		assert.Equal(t, want[doc.Name].authorized, doc.ObjectAuthorization, doc.Name)
	}
}

func TestTools_AreOnlyForTheObjectsOfTheAccount(t *testing.T) {
	t.Parallel()
	all, opts := tools(t)
	gina := contract.Principal{Tenant: "globex", Subject: "gina", Permissions: contract.PermissionsOf(all...), AuthTime: time.Now()}
	c := contracttest.NewClient(t, all, opts...).As(gina).Answering(contracttest.Approve)
	calls := map[string]func(customer, invoice string) members{
		"customers.get":  func(customer, _ string) members { return members{"customer": customer} },
		"invoices.void":  func(_, invoice string) members { return members{"invoice": invoice} },
		"invoices.send":  func(_, invoice string) members { return members{"invoice": invoice} },
		"invoices.image": func(_, invoice string) members { return members{"invoice": invoice} },
		"refunds.issue": func(_, invoice string) members {
			return members{"invoice": invoice, "refund": members{"full": members{}}}
		},
		"invoices.create": func(customer, _ string) members {
			return members{
				"customer": customer, "currency": "EUR", "lines": []members{{"description": "x", "quantity": 1, "unitPrice": "1.00"}},
			}
		},
	}
	for tool, arguments := range calls {
		foreign, none := c.Call(tool, arguments("c_anna", "AC-1001")), c.Call(tool, arguments("c_nobody", "AC-9999"))
		assert.Equal(t, contract.CodePermissionDenied, foreign.Outcome.Code, tool)
		assert.Equal(t, foreign.Text, none.Text, "%s does not disclose what others have", tool)
		assert.NotEqual(t, contract.CodePermissionDenied, c.Call(tool, arguments("c_selma", "GX-2001")).Outcome.Code, tool)
	}
	assert.Equal(t, contract.CodePermissionDenied, c.Preview("invoices.void", members{"invoice": "AC-1002"}).Outcome.Code)
	assert.Empty(t, contracttest.Output[SearchOutput](t,
		c.Call("invoices.search", members{"by": members{"number": "AC-1001"}})).Invoices)
	assert.Len(t, contracttest.Output[CustomerList](t, c.Call("customers.list", nil)).Customers, 1)
	revenue := contracttest.Output[RevenueOutput](t, c.Call("reports.revenue", members{"year": 2025, "currency": "EUR"}))
	assert.Equal(t, ledger.Amount(3_000_00), revenue.Invoiced)
}

func TestSearch_ChoosesOneOfThree(t *testing.T) {
	t.Parallel()
	c := clerk(t)
	tests := []struct {
		name string
		in   members
		want []string
	}{
		{"by customer", members{"by": members{"customer": "c_anna"}}, []string{"AC-1001", "AC-1003"}},
		{"by number", members{"by": members{"number": "AC-1002"}}, []string{"AC-1002"}},
		{
			"by period", members{"by": members{"period": members{"from": "2025-02-17", "to": "2025-11-10"}}},
			[]string{"AC-1002", "AC-1003"},
		},
		{"unpaid", members{"by": members{"customer": "c_max"}, "unpaid": true}, []string{"AC-1002", "AC-1004"}},
		{"paid", members{"by": members{"customer": "c_anna"}, "unpaid": true}, nil},
	}
	for _, tt := range tests {
		var numbers []string
		for _, i := range contracttest.Output[SearchOutput](t, c.Call("invoices.search", tt.in)).Invoices {
			numbers = append(numbers, i.Number)
		}
		assert.Equal(t, tt.want, numbers, tt.name)
	}
	for name, tt := range map[string]struct{ by, pointer string }{
		"none":          {`{}`, "/by"},
		"two":           {`{"customer":"c_anna","number":"AC-1001"}`, "/by"},
		"null":          {`{"customer":null}`, "/by/customer"},
		"half a period": {`{"period":{"from":"2025-01-01"}}`, "/by/period/to"},
		"no such day":   {`{"period":{"from":"2025-02-30","to":"2025-03-01"}}`, "/by/period/from"},
	} {
		r := c.Call("invoices.search", json.RawMessage(`{"by":`+tt.by+`}`))
		require.Len(t, r.Outcome.Violations, 1, name)
		assert.Equal(t, tt.pointer, r.Outcome.Violations[0].Pointer, name)
	}
}

func TestNull_IsADayThatIsNotSetAndACustomerWithoutVATID(t *testing.T) {
	t.Parallel()
	c := clerk(t)
	const rest = `"customer":"c_max","currency":"EUR","lines":[{"description":"Chair","quantity":2,"unitPrice":"49.95"}]}`
	for in, want := range map[string]string{
		`{"dueDate":null,`:         `null`,
		`{`:                        `null`,
		`{"dueDate":"2026-12-31",`: `"2026-12-31"`,
	} {
		r := c.WithKey(want+in).Call("invoices.create", json.RawMessage(in+rest))
		var out struct{ DueDate, PaidAt, Total json.RawMessage }
		require.NoError(t, json.Unmarshal(r.Structured, &out), r.Text)
		assert.JSONEq(t, want, string(out.DueDate))
		assert.JSONEq(t, `null`, string(out.PaidAt))
		assert.JSONEq(t, `"99.90"`, string(out.Total))
	}
	r := c.Call("customers.get", members{"customer": "c_max"})
	assert.JSONEq(t, `{"customer":{"id":"c_max","name":"Max `+
		`Carpentry","email":"max@example.com","vatId":null},"balances":[{"currency":"EUR","open":"4800.50"}]}`, string(r.Structured))
}

func TestCreate_IsOneInvoiceForEachKey(t *testing.T) {
	t.Parallel()
	c := clerk(t)
	create := func(key, price string) *contracttest.Result {
		return c.WithKey(key).Call("invoices.create", members{
			"customer": "c_anna", "currency": "USD", "lines": []members{{"description": "Bread", "quantity": 1, "unitPrice": price}},
		})
	}
	first := create("k1", "1.00")
	again := create("k1", "1.00")
	assert.Equal(t, contract.StatusReplayed, again.Outcome.Status)
	assert.Equal(t, contracttest.Output[ledger.Invoice](t, first), contracttest.Output[ledger.Invoice](t, again))
	assert.Equal(t, contract.CodeKeyConflict, create("k1", "2.00").Outcome.Code)
	assert.Equal(t, contract.StatusOK, create("k2", "1.00").Outcome.Status)
	assert.Equal(t, contract.CodeInvalidInput, create("k3", "1.5").Outcome.Code, "an amount has two decimals")
	assert.Equal(t, contract.CodeInvalidInput, create("k3", "-1.00").Outcome.Code)
}

// Each client is a process on one file.
func TestChanges_TakePlaceOnceForTwoProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "books.db")
	process := func() *contracttest.Client {
		desk := new(Desk)
		backend, err := desk.Open(path)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, backend.Close()) })
		all, err := desk.Tools()
		require.NoError(t, err)
		clara := contract.Principal{Subject: "clara", Permissions: contract.PermissionsOf(all...), AuthTime: time.Now()}
		return contracttest.NewClient(t, all, backend.Options...).As(clara).Answering(contracttest.Approve).WithKey("k1")
	}
	before, after := process(), process()
	bread := []members{{"description": "Bread", "quantity": 1, "unitPrice": "1.00"}}
	tests := []struct {
		tool          string
		call, another members
	}{
		{
			"invoices.create", members{"customer": "c_anna", "currency": "EUR", "lines": bread},
			members{"customer": "c_max", "currency": "EUR", "lines": bread},
		},
		{"invoices.send", members{"invoice": "AC-1004"}, members{"invoice": "AC-1002"}},
		{
			"refunds.issue", members{"invoice": "AC-1001", "refund": members{"partial": members{"amount": "10.00"}}},
			members{"invoice": "AC-1001", "refund": members{"partial": members{"amount": "20.00"}}},
		},
	}
	for _, tt := range tests {
		first, again := before.Call(tt.tool, tt.call), after.Call(tt.tool, tt.call)
		require.Equal(t, contract.StatusReplayed, again.Outcome.Status, again.Text)
		assert.Equal(t, contracttest.Output[ledger.Invoice](t, first), contracttest.Output[ledger.Invoice](t, again), tt.tool)
		assert.Equal(t, contract.CodeKeyConflict, after.Call(tt.tool, tt.another).Outcome.Code, tt.tool)
	}
	refunded := contracttest.Output[ledger.Invoice](t, after.WithKey("k2").Call("refunds.issue", tests[2].call))
	assert.Equal(t, ledger.Amount(270_00), refunded.Refunded, "two refunds of 10.00 after 250.00")
}

func TestVoid_NeedsAPreviewAndAPerson(t *testing.T) {
	t.Parallel()
	c := clerk(t)
	in := members{"invoice": "AC-1002"}
	approving := c.Answering(contracttest.Approve)
	assert.Equal(t, contract.CodeDryRunRequired, approving.Call("invoices.void", in).Outcome.Code)

	preview := c.Preview("invoices.void", in)
	assert.Equal(t, "sent", contracttest.Output[VoidPreview](t, preview).Invoice.Status)
	assert.Contains(t, preview.Text, "must inform the customer")
	assert.Equal(t, contract.CodeConfirmationRequired, c.Commit(preview).Outcome.Code)
	voided := approving.Commit(c.Preview("invoices.void", in))
	require.Len(t, voided.Questions, 1)
	assert.Equal(t, "void", contracttest.Output[ledger.Invoice](t, voided).Status)

	paid := c.Preview("invoices.void", members{"invoice": "AC-1001"})
	assert.Equal(t, ErrPaid.Code(), paid.Outcome.Code)
	assert.Equal(t, contract.ClassFatal, paid.Outcome.Class)
}

func TestSend_AsksAPerson(t *testing.T) {
	t.Parallel()
	c := clerk(t)
	in := members{"invoice": "AC-1004"}
	assert.Equal(t, contract.CodeConfirmationDeclined, c.Answering(contracttest.Decline).
		Call("invoices.send", members{"invoice": "AC-1002"}).Outcome.Code)
	sent := c.Answering(contracttest.Approve).Call("invoices.send", in)
	require.Len(t, sent.Questions, 1)
	assert.Equal(t, "Send invoice AC-1004 to its customer", sent.Questions[0].Words)
	assert.Equal(t, "sent", contracttest.Output[ledger.Invoice](t, sent).Status)
}

func TestRefund_NeedsARecentAuthentication(t *testing.T) {
	t.Parallel()
	all, opts := tools(t)
	clara := contract.Principal{Subject: "clara", Permissions: contract.PermissionsOf(all...)}
	c := contracttest.NewClient(t, all, opts...)
	full := members{"invoice": "AC-1003", "refund": members{"full": members{}}}
	for name, since := range map[string]time.Duration{"never": 0, "long ago": time.Hour} {
		p := clara
		if since > 0 {
			p.AuthTime = time.Now().Add(-since)
		}
		assert.Equal(t, contract.CodeStepUpRequired, c.As(p).Call("refunds.issue", full).Outcome.Code, name)
	}
	clara.AuthTime = time.Now()
	refunds := c.As(clara)
	for name, tt := range map[string]struct {
		in   string
		want *contract.Failure
	}{
		"more than the rest":        {`{"invoice":"AC-1001","refund":{"partial":{"amount":"1000.01"}}}`, ErrRefundAmount},
		"nothing":                   {`{"invoice":"AC-1001","refund":{"partial":{"amount":"0.00"}}}`, ErrRefundAmount},
		"an invoice that is unpaid": {`{"invoice":"AC-1002","refund":{"full":{}}}`, ErrNotPaid},
	} {
		r := refunds.WithKey(name).Call("refunds.issue", json.RawMessage(tt.in))
		assert.Equal(t, tt.want.Code(), r.Outcome.Code, name)
		assert.Equal(t, contract.ClassRetryable, r.Outcome.Class, name)
	}
	assert.Equal(t, ledger.Amount(999_00), contracttest.Output[ledger.Invoice](t, refunds.Call("refunds.issue", full)).Refunded)
}

func TestRevenue_AddsUpTheMonths(t *testing.T) {
	t.Parallel()
	out := contracttest.Output[RevenueOutput](t, clerk(t).Call("reports.revenue", members{"year": 2025, "currency": "EUR"}))
	require.Len(t, out.Months, 12)
	assert.Equal(t, ledger.Month{Month: "2025-02", Invoiced: 6_050_50}, out.Months[1])
	assert.Equal(t, ledger.Month{Month: "2025-03", Refunded: 250_00}, out.Months[2])
	assert.Equal(t, ledger.Amount(7_049_50), out.Invoiced, "drafts do not count, nor do other currencies")
	assert.Equal(t, ledger.Amount(250_00), out.Refunded)
}

func TestImage_IsAChartBesideTheLines(t *testing.T) {
	t.Parallel()
	r := clerk(t).Call("invoices.image", members{"invoice": "AC-1001"})
	assert.Len(t, contracttest.Output[ImageOutput](t, r).Lines, 2)
	require.Len(t, r.Content, 1)
	content, ok := r.Content[0].(contract.ImageContent)
	require.True(t, ok)
	chart, err := png.Decode(bytes.NewReader(content.Data))
	require.NoError(t, err)
	assert.Equal(t, chartWidth, chart.Bounds().Dx())
	assert.NotEqual(t, chart.At(chartWidth/2, barGap), chart.At(chartWidth/2, 2*barGap+barHeight),
		"the first line is 80 percent of the total, the second 20")
}

func TestBrokenBooks_AreUnavailable(t *testing.T) {
	t.Parallel()
	desk := new(Desk)
	backend, err := desk.Open("")
	require.NoError(t, err)
	all, err := desk.Tools()
	require.NoError(t, err)
	require.NoError(t, backend.Close())
	other, opts := tools(t) // the records are not broken
	require.Len(t, other, len(all))
	c := contracttest.NewClient(t, all, opts...).
		As(contract.Principal{Subject: "clara", Permissions: contract.PermissionsOf(all...)})
	assert.Equal(t, contract.CodeUnavailable, c.Call("customers.get", members{"customer": "c_anna"}).Outcome.Code,
		"and not a lack of permission")
	assert.Equal(t, contract.CodeInternalError, c.Call("customers.list", nil).Outcome.Code)
}

// The guard removes invisible characters from results, and an image needs a
// description for each line.
func TestImage_HasADescriptionForALineWithoutVisibleCharacters(t *testing.T) {
	t.Parallel()
	c := clerk(t)
	created := c.Call("invoices.create", CreateInput{
		CustomerInput: CustomerInput{"c_anna"}, Currency: "EUR",
		Lines: []ledger.Line{{Description: "\u200b", Quantity: 1, UnitPrice: 250}},
	})
	picture := c.Call("invoices.image", InvoiceInput{contracttest.Output[ledger.Invoice](t, created).Number})
	require.False(t, picture.IsError, picture.Text)
}
