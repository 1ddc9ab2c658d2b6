package failurecheck_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/verify/failurecheck"
	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/files/folder"
	"github.com/toolcontract/toolcontract/examples/invoices/billing"
	"github.com/toolcontract/toolcontract/examples/oauth/payouts"
)

// found has the codes of the findings about the examples, with the reason for
// which each stays. Every other tool has none.
var found = map[string]map[string]string{
	// The example has no relay, so a campaign cannot fail. The tools that send
	// email share one list of failures.
	"emails.bulk_send": {
		"attachment_too_large": "a campaign of the example cannot fail",
		"invalid_recipient":    "a campaign of the example cannot fail",
		"relay_down":           "a campaign of the example cannot fail",
	},
	// The invoices let a broken database be an internal error.
	"customers.list":  {"internal_error": "a broken database"},
	"customers.get":   {"internal_error": "a broken database"},
	"invoices.search": {"internal_error": "a broken database"},
	"invoices.image":  {"internal_error": "a broken database, or an image that cannot be encoded"},
	"reports.revenue": {"internal_error": "a broken database"},
	// No agent can call these two, because their risk is forbidden.
	"secrets.read_private_key": {"internal_error": "the tool is forbidden"},
	"data.export_all":          {"internal_error": "the tool is forbidden"},
}

func TestInspect_OfTheExamplesFindsWhatIsKnown(t *testing.T) {
	t.Parallel()
	f, err := folder.Open(t.TempDir(), false)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	var all []*contract.Tool
	for _, tools := range []func() ([]*contract.Tool, error){f.Tools, new(mail.Post).Tools, new(billing.Desk).Tools,
		payouts.NewDesk().Tools} {
		built, err := tools()
		require.NoError(t, err)
		all = append(all, built...)
	}
	verdicts, err := failurecheck.Inspect(all...)
	require.NoError(t, err)
	for _, v := range verdicts {
		codes := map[string]bool{}
		for _, f := range v.Findings {
			codes[f.Code] = true
			assert.NotEmpty(t, found[v.Tool][f.Code], "%s: %s", f.Position, f)
			assert.Positive(t, f.Position.Line)
		}
		assert.Len(t, codes, len(found[v.Tool]), v.Tool)
		t.Log(v.Tool, v.Answer, v.Unknown)
	}
}
