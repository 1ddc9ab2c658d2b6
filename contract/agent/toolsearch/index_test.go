package toolsearch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/contract/agent/toolsearch"
	"github.com/toolcontract/toolcontract/risk"
)

func tool(name string, effect risk.Effect, description string, more ...func(*contract.Document)) agent.Tool {
	d := contract.Document{Name: strings.Replace(name, "_", ".", 1), Effect: effect, Description: description}
	for _, f := range more {
		f(&d)
	}
	return agent.Tool{Name: name, Contract: d.Effective(), Origin: agent.OriginContract}
}

func withInput(schema string) func(*contract.Document) {
	return func(d *contract.Document) { d.InputSchema = json.RawMessage(schema) }
}

func office() []agent.Tool {
	return []agent.Tool{
		tool("accounts_change_permissions", risk.HighRiskWrite, "Changes what a user may do."),
		tool("contacts_search", risk.ReadOnly, "Finds people by name or address.", withInput(`{"type":"object","properties":{"query":{"type":"string","description":"Part of the name."}}}`)),
		tool("customers_list", risk.ReadOnly, "Lists the customers of the account."),
		tool("emails_create_draft", risk.LowRiskWrite, "Stores a draft of a message."),
		tool("emails_send_external", risk.ExternalPublication, "Sends a message to people outside.", withInput(`{"type":"object","properties":{"attachments":{"type":"array","items":{"type":"object","properties":{"fileId":{"type":"string","description":"The file of the attachment."}}}}}}`)),
		tool("files_list", risk.ReadOnly, "Lists a folder."),
		tool("files_read", risk.ReadOnly, "Returns the content of a text file."),
		tool("files_write", risk.HighRiskWrite, "Writes a text file."),
		tool("invoices_create", risk.LowRiskWrite, "Makes a new invoice."),
		tool("invoices_search", risk.ReadOnly, "Finds invoices of the account, by customer, by number or by the time of issue."),
		tool("invoices_void", risk.Destructive, "Takes an invoice back that is not paid.", func(d *contract.Document) {
			d.SideEffects = []contract.SideEffect{{Description: "The invoice is cancelled.", Affects: "The customer of the invoice."}}
		}),
		tool("refunds_issue", risk.PaidOperation, "Pays money back to a customer."),
		tool("reports_revenue", risk.ReadOnly, "Sums the sales of each month."),
	}
}

func open(t *testing.T, tools []agent.Tool) *toolsearch.Index {
	t.Helper()
	i, err := toolsearch.New(tools)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, i.Close()) })
	return i
}

func names(t *testing.T, i *toolsearch.Index, query string, limit int) []string {
	t.Helper()
	found, err := i.Find(t.Context(), query, limit)
	require.NoError(t, err)
	list := make([]string, 0, len(found))
	for _, f := range found {
		list = append(list, f.Name)
	}
	return list
}

func Example() {
	index, err := toolsearch.New(office())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer index.Close()
	found, err := index.Find(context.Background(), "take an invoice back", 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(agent.Summaries(found, 100))
	// Output:
	// invoices_void (destructive): Takes an invoice back that is not paid.
	// invoices_create (low-risk-write): Makes a new invoice.
}

func TestIndex_FindsByNameDescriptionEffectAndArguments(t *testing.T) {
	t.Parallel()
	i := open(t, office())
	for query, want := range map[string]string{
		"invoices_void":                  "invoices_void",
		"invoices.void":                  "invoices_void",
		"voidInvoice":                    "invoices_void",
		"cancel an invoice":              "invoices_void", // by its side effect
		"who are my customers":           "customers_list",
		"sending mail to somebody":       "emails_send_external",
		"attachment":                     "emails_send_external", // by an argument
		"what did we sell, by month":     "reports_revenue",
		"costs money":                    "refunds_issue", // by its effect
		"permissions of a user":          "accounts_change_permissions",
		"PEOPLE":                         "contacts_search",
		"addres":                         "contacts_search", // the beginning of a word
		"write the text into a new file": "files_write",
	} {
		found := names(t, i, query, 3)
		if assert.NotEmpty(t, found, query) {
			assert.Equal(t, want, found[0], "%s: %v", query, found)
		}
	}
}

// Nothing in a query has a meaning for the database.
func TestIndex_TakesEveryQueryAsText(t *testing.T) {
	t.Parallel()
	i := open(t, office())
	for _, query := range []string{
		`"`, `'`, `*`, `invoice" OR "file`, `name:invoice`, `invoice NOT void`, `NEAR(invoice, 2)`, `(`, `{name title}: x`, `^invoice`, `-`, `a + b`,
		"\x00", "\xff\xfe", "AND", "OR", "NOT", `'); DROP TABLE tools; --`, strings.Repeat("invoice ", 10_000), strings.Repeat("x", 1<<20),
	} {
		_, err := i.Find(t.Context(), query, 5)
		assert.NoError(t, err, "%.30q", query)
	}
	assert.Equal(t, "invoices_void", names(t, i, "void", 1)[0], "the index is still there")
}

func TestIndex_BoundsWhatItFinds(t *testing.T) {
	t.Parallel()
	i := open(t, office())
	assert.Empty(t, names(t, i, " ?! ", 5))
	assert.Empty(t, names(t, i, "zebra", 5))
	assert.Len(t, names(t, i, "account customer invoice file", 2), 2)
	assert.LessOrEqual(t, len(names(t, i, "a of by the invoice file message", 0)), 10)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := i.Find(ctx, "invoice", 5)
	require.ErrorIs(t, err, context.Canceled)
	assert.NotEmpty(t, names(t, i, "invoice", 5))
}

func TestNew_LeavesOutRefusedToolsAndRefusesEqualNames(t *testing.T) {
	t.Parallel()
	quarantined := tool("files_read", risk.ReadOnly, "Returns the content of a file.")
	quarantined.Refusal = "it is quarantined"
	assert.Empty(t, names(t, open(t, []agent.Tool{quarantined}), "files", 5))
	_, err := toolsearch.New([]agent.Tool{tool("files_read", risk.ReadOnly, ""), tool("files_read", risk.ReadOnly, "")})
	require.Error(t, err)
	assert.Empty(t, names(t, open(t, nil), "files", 5))
}

// Equal tools are found in the order of their names, however they are listed
// and however many callers search at once.
func TestIndex_HasOneOrder(t *testing.T) {
	t.Parallel()
	var tools []agent.Tool
	for n := range 200 {
		tools = append(tools, tool(fmt.Sprintf("notes_tool%03d", (n*37)%200), risk.ReadOnly, "Reads a note."))
	}
	i := open(t, tools)
	want := names(t, i, "note", 100)
	require.Len(t, want, 100)
	assert.IsNonDecreasing(t, want)
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() { assert.Equal(t, want, names(t, i, "note", 100)) })
	}
	callers.Wait()
}

func BenchmarkIndex(b *testing.B) {
	var tools []agent.Tool
	for n := range 1000 {
		o := office()[n%13]
		o.Name = fmt.Sprintf("%s_%d", o.Name, n)
		tools = append(tools, o)
	}
	b.Run("New 1000 tools", func(b *testing.B) {
		for b.Loop() {
			i, err := toolsearch.New(tools)
			require.NoError(b, err)
			require.NoError(b, i.Close())
		}
	})
	i, err := toolsearch.New(tools)
	require.NoError(b, err)
	defer i.Close()
	b.Run("Find in 1000 tools", func(b *testing.B) {
		for b.Loop() {
			_, err := i.Find(b.Context(), "take the invoice of a customer back", 10)
			require.NoError(b, err)
		}
	})
}
