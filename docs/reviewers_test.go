package docs_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type doomedInvoice struct {
	Number string `json:"number"`
}

// deleteTool asks the person to type the number of the invoice.
func deleteTool() *contract.Tool {
	return contract.New("invoices.delete", removeInvoice).
		Title("Delete an invoice").
		Description("Deletes an invoice and its attachments.").Version("1.0.0").
		Effect(risk.Destructive).Trust(trust.Trusted).Permissions("invoices:delete").
		SideEffects(contract.SideEffect{
			Description: "The invoice is gone, and its number stays used.",
			Reach:       contract.Internal, Undo: contract.Irreversible,
		}).
		Question(func(in doomedInvoice) string { return "Delete invoice " + in.Number + " for good." }).
		ConfirmTyping(func(in doomedInvoice) string { return in.Number }).
		MustBuild()
}

type supplierPayment struct {
	To     string `json:"to"`
	Amount int    `json:"amount"`
}

// payTool needs a sign-in of the last five minutes.
func payTool() *contract.Tool {
	pay := func(context.Context, supplierPayment) (struct{}, error) { return struct{}{}, nil }
	return contract.New("payments.send", pay).
		Title("Send money").
		Description("Sends money to a supplier.").Version("1.0.0").
		Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("payments:send").
		ConfirmNever("The page for the sign-in shows the call.").
		StepUp(contract.StepUp{When: "Every payment.", MaxAge: 5 * time.Minute}).
		MustBuild()
}

// The page has the table of a pull request that takes a question away.
func TestReviewersPage_HasTheTableOfAPullRequest(t *testing.T) {
	t.Parallel()
	before := contract.New("invoices.delete", removeInvoice).
		Description("Deletes an invoice and its attachments.").Version("1.2.0").
		Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("invoices:delete")
	after := contract.New("invoices.delete", removeInvoice).
		Description("Deletes an invoice and its attachments.").Version("1.2.1").
		Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("invoices:delete").
		ConfirmNever("The support team deletes many invoices.")
	record := func(tool *contract.Tool) string {
		s, err := compat.NewSnapshot(tool)
		require.NoError(t, err)
		text, err := s.Text()
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "contracts.json")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		return file
	}
	diff := exec.CommandContext(t.Context(), "go", "run", "./cmd/toolcontract", "diff", "-markdown",
		record(before.MustBuild()), record(after.MustBuild()))
	out, _ := diff.Output() // its status is 1, because a protection is weaker
	_, table, _ := strings.Cut(string(out), "\n\n")
	table, _, found := strings.Cut(table, "\n\n")
	require.True(t, found, string(out))
	assert.Contains(t, table, "weaker, `confirmation.lowered`")
	hasTable := strings.Contains(read(t, "docs/reviewers.md"), "\n\n"+table+"\n\n")
	assert.True(t, hasTable, "docs/reviewers.md has another table than\n%s", table)
}

func removeInvoice(context.Context, doomedInvoice) (struct{}, error) { return struct{}{}, nil }
