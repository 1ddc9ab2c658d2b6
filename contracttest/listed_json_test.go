package contracttest_test

import (
	"cmp"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestListedJSON_IsWhatAnAdapterLists(t *testing.T) {
	t.Parallel()
	untitled := contract.New("notes.count", does[noteIn, string]).Description("Counts notes.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("notes:read").MustBuild()
	tools := []*contract.Tool{reading("notes.find").MustBuild(), writing("notes.write").MustBuild(), untitled}
	for _, tier := range []contract.Tier{contract.TierSummary, contract.TierFull, contract.TierHints} {
		for _, naming := range []contract.Naming{contract.Underscore, contract.Dotted} {
			g, err := guard.New(guard.WithPrincipal(adapter.LocalUser()))
			require.NoError(t, err)
			table, err := adapter.NewTable(g, adapter.Config{Tools: tools, Tier: tier, Naming: naming, Server: "notes"})
			require.NoError(t, err)
			for _, tool := range tools {
				listed, err := json.Marshal(table.Entry(naming.Listed(tool.Name())).Definition())
				require.NoError(t, err)
				raw, err := contracttest.ListedJSON(tool.Document(), tier, naming)
				require.NoError(t, err)
				assert.Equal(t, string(listed), string(raw))
			}
		}
	}
}

func TestListedJSON_ReportsEveryReasonNotToListATool(t *testing.T) {
	t.Parallel()
	good := func() contract.Document {
		return contract.Document{Name: "a.b", Version: "1.0.0", InputSchema: json.RawMessage(`{"type":"object"}`)}
	}
	_, err := contracttest.ListedJSON(good(), contract.TierFull, contract.Underscore)
	require.NoError(t, err)
	for rule, edit := range map[string]func(*contract.Document){
		"[serve.header] inputSchema": func(d *contract.Document) {
			d.InputSchema = json.RawMessage(`{"properties":{"a":{"x-mcp-header":"A"}}}`)
		},
		"[serve.summary] contract":       func(d *contract.Document) { d.Version += strings.Repeat("0", 4096) },
		"[serve.definition] contract":    func(d *contract.Document) { d.Metadata = map[string]any{"n": math.NaN()} },
		"[serve.definition] inputSchema": func(d *contract.Document) { d.InputSchema = json.RawMessage(`{`) },
	} {
		d := good()
		edit(&d)
		_, inFull := contracttest.ListedJSON(d, contract.TierFull, contract.Underscore)
		_, inSummary := contracttest.ListedJSON(d, contract.TierSummary, contract.Underscore)
		err := cmp.Or(inFull, inSummary)
		require.NotEmpty(t, contract.DeclarationErrors(err), rule)
		assert.Contains(t, err.Error(), rule)
	}
}
