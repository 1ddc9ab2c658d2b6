package corpus_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/files/folder"
	"github.com/toolcontract/toolcontract/examples/invoices/billing"
	"github.com/toolcontract/toolcontract/examples/oauth/payouts"
)

// TestSnapshots records the snapshots of the examples whose tools are in a
// package, and the digests of their contracts. The other examples are covered
// by their lists, which hold the whole contract.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	dir, err := folder.Open(t.TempDir(), false)
	require.NoError(t, err)
	for name, tools := range map[string]func() ([]*contract.Tool, error){
		"emails":         new(mail.Post).Tools,
		"emails-step-up": (&mail.Post{StepUp: true}).Tools,
		"files":          dir.Tools,
		"invoices":       new(billing.Desk).Tools,
		"oauth":          payouts.NewDesk().Tools,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			built, err := tools()
			require.NoError(t, err)
			snapshot, err := compat.NewSnapshot(built...)
			require.NoError(t, err)
			text, err := snapshot.Text()
			require.NoError(t, err)
			digest, err := snapshot.Digest()
			require.NoError(t, err)
			digests := []string{"snapshot " + digest}
			for _, tool := range built {
				digests = append(digests, tool.Name()+" "+tool.Digest())
			}
			compare(t, "snapshots/"+name+".json", string(text))
			compare(t, "snapshots/"+name+".digests", strings.Join(digests, "\n")+"\n")

			parsed, err := compat.ParseSnapshot(text)
			require.NoError(t, err)
			again, err := parsed.Text()
			require.NoError(t, err)
			require.Equal(t, string(text), string(again))
		})
	}
}
