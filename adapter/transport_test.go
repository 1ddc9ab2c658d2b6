package adapter_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestTransportFrom(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	header := http.Header{"Mcp-Protocol-Version": {"2025-11-25"}, "Mcp-Session-Id": {"session-1"}}
	for name, c := range map[string]struct {
		caller adapter.Caller
		meta   map[string]any
		want   adapter.Transport
	}{
		"nothing is known": {adapter.Caller{}, nil, adapter.Transport{}},
		"stdio":            {adapter.Caller{Local: true}, nil, adapter.Transport{Network: "pipe"}},
		"HTTP": {adapter.Caller{Header: header}, nil, adapter.Transport{Network: "tcp", ProtocolVersion: "2025-11-25",
			Session: "session-1"}},
		"a version without sessions": {
			adapter.Caller{Header: header},
			map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
			adapter.Transport{Network: "tcp", ProtocolVersion: "2026-07-28"},
		},
		"a trace": {
			adapter.Caller{Local: true},
			map[string]any{"traceparent": parent, "tracestate": "a=b", "baggage": "c=d"},
			adapter.Transport{Network: "pipe", TraceParent: parent, TraceState: "a=b", Baggage: "c=d"},
		},
		"values that cannot be a trace": {
			adapter.Caller{Local: true},
			map[string]any{"traceparent": 7, "tracestate": nil, "baggage": strings.Repeat("a", 8193)},
			adapter.Transport{Network: "pipe"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got adapter.Transport
			tool := contract.New("transport.read", func(ctx context.Context, _ empty) (string, error) {
				got = adapter.TransportFrom(ctx)
				return "", nil
			}).Description("Reads the transport.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
			table, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{tool}})
			send(adapter.WithCaller(t.Context(), c.caller), t, table, "transport_read", adapter.Request{Arguments: json.RawMessage(`{}`),
				Meta: c.meta})
			assert.Equal(t, c.want, got)
		})
	}
}
