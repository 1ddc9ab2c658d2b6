package mcpgo_test

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var callID = regexp.MustCompile(`"callId":"[A-Z0-9]+",?`)

// Adapters that write the JSON of package adapter send what mcp-go does.
func TestBytes_AreThoseOfPackageAdapter(t *testing.T) {
	t.Parallel()
	zero, size := 0.0, int64(0)
	annotated := contract.Annotations{Audience: []string{"user"}, Priority: &zero, LastModified: time.Date(2026, 1, 2, 3, 4, 5, 6,
		time.UTC)}
	meta := map[string]any{"example.com/a": "<b>"}
	all := contract.New("all.content", func(context.Context, empty) (contract.Reply[addOut], error) {
		return contract.Reply[addOut]{Out: addOut{Sum: 3}, Meta: meta, Content: []contract.Content{
			contract.TextContent{Text: "", Annotations: annotated, Meta: meta},
			contract.ImageContent{Data: []byte{1}, MIMEType: "image/png", Annotations: annotated, Meta: meta},
			contract.AudioContent{Data: []byte{2}, MIMEType: "audio/wav"},
			contract.LinkContent{URI: "file:///a", Name: "a", Size: &size},
			contract.LinkContent{URI: "file:///a", Name: "a", Title: "A", Description: "d", MIMEType: "text/plain", Meta: meta},
			contract.ResourceContent{URI: "a:b"},
			contract.ResourceContent{URI: "a:b", MIMEType: "text/plain", Text: "<t>", ResourceMeta: meta, Meta: meta},
			contract.ResourceContent{URI: "a:b", Blob: []byte{}},
		}}, nil
	}).Title("All").Description("Has <every> content.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()

	for _, tier := range []contract.Tier{contract.TierSummary, contract.TierFull, contract.TierHints} {
		k := newKit(t, []*contract.Tool{all}, mcpgo.WithTier(tier))
		table, err := adapter.NewTable(nil, adapter.Config{Tools: []*contract.Tool{all}, Naming: contract.Dotted, Tier: tier})
		require.NoError(t, err)
		listed, _ := listing(t, handle(t, k.server, list))
		written, err := json.Marshal(table.Entry("all.content").Definition())
		require.NoError(t, err)
		assert.Equal(t, listed["all.content"], string(written), tier)

		answer, err := table.Call(t.Context(), table.Entry("all.content"), adapter.Request{})
		require.NoError(t, err)
		written, err = json.Marshal(answer)
		require.NoError(t, err)
		var response struct{ Result json.RawMessage }
		sdktest.Unmarshal(t, handle(t, k.server, callOf("all.content", `{}`)), &response)
		assert.Equal(t, callID.ReplaceAllString(string(response.Result), ""), callID.ReplaceAllString(string(written), ""))
	}
}
