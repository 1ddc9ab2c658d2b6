package corpus_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/files/folder"
	"github.com/toolcontract/toolcontract/examples/invoices/billing"
	"github.com/toolcontract/toolcontract/examples/oauth/payouts"
	"github.com/toolcontract/toolcontract/verify/failurecheck"
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
	"invoices.create": {"internal_error": "a broken database"},
	"invoices.send":   {"internal_error": "a broken database"},
	"refunds.issue":   {"internal_error": "a broken database"},
	"invoices.image":  {"internal_error": "a broken database, or an image that cannot be encoded"},
	"reports.revenue": {"internal_error": "a broken database"},
	// No agent can call these two, because their risk is forbidden.
	"secrets.read_private_key": {"internal_error": "the tool is forbidden"},
	"data.export_all":          {"internal_error": "the tool is forbidden"},
}

func TestFailures_OfTheExamplesFindsWhatIsKnown(t *testing.T) {
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
	var got findings
	failurecheck.Check(&got, all...)
	assert.Equal(t, known(), got.codes)
}

// known returns found without the reasons.
func known() map[string][]string {
	codes := map[string][]string{}
	for tool, reasons := range found {
		codes[tool] = slices.Sorted(maps.Keys(reasons))
	}
	return codes
}

// finding is the form in which failurecheck reports a finding:
// [RULE] TOOL: failureModes: CODE: …
var finding = regexp.MustCompile(`\] (\S+): failureModes: (\S+): `)

// A findings is a test that records the codes of the findings of each tool.
type findings struct {
	testing.TB

	codes map[string][]string
}

func (*findings) Helper()             {}
func (*findings) Logf(string, ...any) {}

func (f *findings) Error(args ...any) { f.Errorf("%s", fmt.Sprint(args...)) }

func (f *findings) Errorf(format string, args ...any) {
	tool, code := "no finding", fmt.Sprintf(format, args...)
	if parts := finding.FindStringSubmatch(code); parts != nil {
		tool, code = parts[1], parts[2]
	}
	if f.codes == nil {
		f.codes = map[string][]string{}
	}
	if !slices.Contains(f.codes[tool], code) {
		f.codes[tool] = append(f.codes[tool], code)
		slices.Sort(f.codes[tool])
	}
}
