package adapter_test

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
)

func TestListedJSON_ReportsEveryReasonNotToListATool(t *testing.T) {
	t.Parallel()
	good := func() contract.Document {
		return contract.Document{Name: "a.b", Version: "1.0.0", InputSchema: json.RawMessage(`{"type":"object"}`)}
	}
	_, err := adapter.ListedJSON(good(), contract.TierFull)
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
		_, inFull := adapter.ListedJSON(d, contract.TierFull)
		_, inSummary := adapter.ListedJSON(d, contract.TierSummary)
		err := cmp.Or(inFull, inSummary)
		require.NotEmpty(t, contract.DeclarationErrors(err), rule)
		assert.Contains(t, err.Error(), rule)
	}
}
