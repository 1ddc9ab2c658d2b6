package pages_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/trust"
)

type invoice struct {
	Number string `json:"number"`
}

// deletionQuestion returns the address of a question about deleting an invoice,
// which a person confirms by typing its number.
func deletionQuestion(t *testing.T, page guard.Approver, number string) string {
	t.Helper()
	tool := contract.New("invoices.delete", func(context.Context, invoice) (string, error) { return "", nil }).
		Title("Delete an invoice").Description("Deletes an invoice and its attachments for good.").Version("1.0.0").
		Effect(risk.Destructive).Trust(trust.Trusted).Permissions("mail:send").
		Question(func(in invoice) string {
			return "Delete invoice " + in.Number + " of Anna Example, 1,250.00 €, for good."
		}).
		ConfirmTyping(func(in invoice) string { return in.Number }).MustBuild()
	g, err := guard.New(
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return alice, nil })),
		guard.WithAudit(&audit.Recorder{}), guard.WithNamespace("desk"), guard.WithPeople(guard.PeopleOptions{Approver: page}),
	)
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	set, err := g.Protect(tool)
	require.NoError(t, err)
	r, err := exchange.Of(set).Call(t.Context(), exchange.Request{
		Tool: "invoices.delete", Arguments: json.RawMessage(`{"number":"` + number + `"}`),
	})
	require.NoError(t, err)
	require.Equal(t, contract.CodeConfirmationPending, r.Outcome.Code, r.Text)
	return r.Outcome.URL
}

func TestApprovals_TypedConfirmationIsCheckedOnTheServer(t *testing.T) {
	t.Parallel()
	page, _ := mountPage(t, pages.ApprovalsConfig{})
	address := deletionQuestion(t, page, "2025-17 & Co")
	b := newBrowser(t)
	shown := b.get(address, "X-Person", "dave")
	assert.Contains(t, shown.body, "Delete an invoice (invoices.delete)")
	assert.Contains(t, shown.body, "Delete invoice 2025-17 &amp; Co of Anna Example")
	assert.Contains(t, shown.body, `<code>2025-17 &amp; Co</code>`)
	assert.Contains(t, shown.body, `name="word"`)

	for _, word := range []string{"", "2025-18", "2025-17"} {
		decision := form(t, shown, "yes")
		decision.Set("word", word)
		r := b.post(address, decision, "X-Person", "dave")
		assert.Equal(t, http.StatusUnprocessableEntity, r.status)
		assert.Contains(t, r.body, "Nothing was decided")
		assert.Contains(t, r.body, `name="word"`, "the person can try again")
	}
	decision := form(t, shown, "yes")
	decision.Set("word", " 2025-17 & Co ")
	b.post(address, decision, "X-Person", "dave")
	assert.Contains(t, b.get(address, "X-Person", "dave").body, "It may run")
}

func TestApprovals_TypedConfirmationIsDeclinedWithoutAWord(t *testing.T) {
	t.Parallel()
	page, _ := mountPage(t, pages.ApprovalsConfig{})
	address := deletionQuestion(t, page, "2025-17")
	b := newBrowser(t)
	b.post(address, form(t, b.get(address, "X-Person", "dave"), "no"), "X-Person", "dave")
	assert.Contains(t, b.get(address, "X-Person", "dave").body, "It will not run")
}
