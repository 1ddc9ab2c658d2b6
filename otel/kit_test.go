package otel_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/otel"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

type noteIn struct {
	Text string `json:"text" jsonschema:"maxLength=100" contract:"sensitive"`
}

var errFull = contract.Retryable("notes_full", "There is no place for the note.")

// tools returns a tool to write, one that asks a person, one that runs once,
// one that fails, and one that reads its context.
func tools(inHandler func(context.Context)) []*contract.Tool {
	wrote := func(ctx context.Context, _ noteIn) (string, error) { inHandler(ctx); return "", nil }
	note := func(name string) *contract.Builder[noteIn, string] {
		return contract.New(name, wrote).Description("Writes a note.").Version("1.2.0").
			Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write")
	}
	return []*contract.Tool{
		note("notes.write").MustBuild(),
		note("notes.publish").Effect(risk.ExternalPublication).MustBuild(),
		note("notes.once").Idempotency(contract.Idempotency{Mode: idempotency.Managed}).MustBuild(),
		contract.New("notes.fail", func(context.Context, noteIn) (string, error) { return "", errFull }).
			Description("Fails.").Version("1.2.0").
			Effect(risk.ReadOnly).Trust(trust.Trusted).Failures(errFull).MustBuild(),
		note("notes.high").Risk(risk.High).ConfirmNever("notes are private").MustBuild(),
	}
}

// remote is a store that claims to be one that processes share.
type remote struct{ *store.Memory }

func (remote) IsLocal() bool { return false }

// A kit is a server over HTTP whose calls are observed.
type kit struct {
	t        testing.TB
	guard    *guard.Guard
	observer *otel.Observer
	spans    *tracetest.SpanRecorder
	metrics  *sdkmetric.ManualReader
	tracers  *sdktrace.TracerProvider
	handler  http.Handler
	session  string // the last one
}

func newKit(t testing.TB, inHandler func(context.Context), change ...func(*otel.Config)) *kit {
	t.Helper()
	k := &kit{t: t, spans: tracetest.NewSpanRecorder(), metrics: sdkmetric.NewManualReader()}
	k.tracers = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(k.spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(k.metrics))
	c := otel.Config{TracerProvider: k.tracers, MeterProvider: meters}
	for _, f := range change {
		f(&c)
	}
	var err error
	k.observer, err = otel.New(c)
	require.NoError(t, err)
	memory, err := store.NewMemory()
	require.NoError(t, err)
	k.guard, err = guard.New(
		guard.WithObserver(k.observer), guard.WithAudit(&audit.Recorder{}), guard.WithStore(remote{memory}),
		guard.WithSealingKeys(make([]byte, 32)),
		guard.WithPrincipal(mcpgo.Bearer(func(_ context.Context, token string) (guard.Principal, error) {
			return guard.Principal{Issuer: "test", Subject: token, Permissions: []string{"notes:write"}}, nil
		})))
	require.NoError(t, err)
	t.Cleanup(func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
	k.handler, err = mcpgo.NewHandler("notes", "1.0.0", k.guard, mcpgo.WithTools(tools(inHandler)...))
	require.NoError(t, err)
	return k
}

// call calls a tool over HTTP and returns the message of the answer. meta has
// more members of _meta, as JSON.
func (k *kit) call(ctx context.Context, tool, arguments, meta string) map[string]any {
	k.t.Helper()
	return k.post(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},
		"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}%s}}}`, tool, arguments, meta), http.Header{
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {tool},
	})
}

// inSession calls a tool in a session of 2025-11-25.
func (k *kit) inSession(tool, arguments string) {
	k.t.Helper()
	k.post(k.t.Context(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, http.Header{})
	k.post(k.t.Context(), fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
		tool, arguments),
		http.Header{"Mcp-Protocol-Version": {"2025-11-25"}, "Mcp-Session-Id": {k.session}})
}

// post posts one message and returns the answer.
func (k *kit) post(ctx context.Context, body string, header http.Header) map[string]any {
	k.t.Helper()
	post := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
	post.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer anna"},
	}
	maps.Copy(post.Header, header)
	recorded := httptest.NewRecorder()
	k.handler.ServeHTTP(recorded, post)
	k.session = cmp.Or(recorded.Header().Get("Mcp-Session-Id"), k.session)
	answer, err := io.ReadAll(recorded.Body)
	require.NoError(k.t, err)
	text := string(answer)
	if _, data, streamed := strings.Cut(text, "data:"); streamed {
		text = data
	}
	var message map[string]any
	require.NoError(k.t, json.Unmarshal([]byte(text), &message), text)
	return message
}

// span returns the only ended span of a name.
func (k *kit) span(name string) sdktrace.ReadOnlySpan {
	k.t.Helper()
	var found []sdktrace.ReadOnlySpan
	for _, s := range k.spans.Ended() {
		if s.Name() == name {
			found = append(found, s)
		}
	}
	require.Len(k.t, found, 1, name)
	return found[0]
}

// collect returns the metrics by name.
func (k *kit) collect() map[string]metricdata.Metrics {
	k.t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(k.t, k.metrics.Collect(k.t.Context(), &all))
	byName := map[string]metricdata.Metrics{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			byName[m.Name] = m
		}
	}
	return byName
}

// texts returns attributes as a map.
func texts(attributes []attribute.KeyValue) map[string]string {
	found := map[string]string{}
	for _, a := range attributes {
		found[string(a.Key)] = a.Value.String()
	}
	return found
}

// jsonText returns a number of a message as text.
func jsonText(v any) string { return fmt.Sprint(v) }
