package otel_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/otel"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	parentID    = "b7ad6b7169203331"
	traceparent = "00-" + traceID + "-" + parentID + "-01"
	secret      = "my secret"
	arguments   = `{"text":"` + secret + `"}`
)

func ignore(context.Context) {}

func TestObserver_ACallIsASpanOfTheConventions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, arguments string
		meta            string
		span            string
		status          codes.Code
		want            map[string]string // the attributes besides those of every call
		events          []string
	}{
		"success": {
			"notes_write", arguments, "", "tools/call notes.write", codes.Unset,
			map[string]string{"toolcontract.decision": "allow", "toolcontract.stage": "checkresult", "toolcontract.status": "ok"},
			[]string{"toolcontract.intent"},
		},
		"with an intent": {
			"notes_high", arguments, "", "tools/call notes.high", codes.Unset,
			map[string]string{
				"toolcontract.decision": "allow", "toolcontract.stage": "checkresult", "toolcontract.status": "ok",
				"toolcontract.risk": "high",
			},
			[]string{"toolcontract.intent"},
		},
		"a question": {
			"notes_publish", arguments, "", "tools/call notes.publish", codes.Unset,
			map[string]string{
				"toolcontract.decision": "ask", "toolcontract.stage": "confirm", "toolcontract.status": "asked",
				"toolcontract.risk": "critical", "toolcontract.effect": "external-publication",
			},
			[]string{"toolcontract.asked"},
		},
		"a failure": {
			"notes_fail", arguments, "", "tools/call notes.fail", codes.Error,
			map[string]string{
				"toolcontract.decision": "allow", "toolcontract.stage": "run", "toolcontract.status": "error", "error.type": "tool_error",
				"toolcontract.code": "notes_full", "toolcontract.class": "retryable", "toolcontract.risk": "low",
				"toolcontract.effect": "read-only",
			}, nil,
		},
		"a refusal": {
			"notes_write", `{}`, "", "tools/call notes.write", codes.Error,
			map[string]string{
				"toolcontract.decision": "deny", "toolcontract.stage": "validate", "toolcontract.status": "error", "error.type": "tool_error",
				"toolcontract.code": "invalid_input", "toolcontract.class": "retryable",
			}, nil,
		},
		"a state that was made up": {
			"notes_publish", arguments, `},"requestState":"made up","x":{`, "tools/call notes.publish", codes.Error,
			map[string]string{
				"toolcontract.decision": "deny", "toolcontract.stage": "openstate", "toolcontract.status": "error", "error.type": "-32603",
				"rpc.response.status_code": "-32603", "toolcontract.code": "rejected_state", "toolcontract.risk": "critical",
				"toolcontract.effect": "external-publication",
			}, nil,
		},
		"an unknown tool": {
			"made_up_by_the_client", arguments, "", "tools/call", codes.Unset,
			map[string]string{
				"toolcontract.decision": "deny", "toolcontract.stage": "lookup", "toolcontract.status": "error", "error.type": "-32602",
				"rpc.response.status_code": "-32602", "toolcontract.code": "unknown_tool",
			}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, ignore)
			message := k.call(t.Context(), c.tool, c.arguments, c.meta)
			span := k.span(c.span)
			assert.Equal(t, trace.SpanKindServer, span.SpanKind())
			assert.Equal(t, c.status, span.Status().Code)
			got := texts(span.Attributes())
			assert.NotEmpty(t, got["toolcontract.call_id"])
			delete(got, "toolcontract.call_id")
			want := map[string]string{
				"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "mcp.protocol.version": "2026-07-28",
				"network.transport": "tcp", "network.protocol.name": "http",
			}
			if code, isError := c.want["rpc.response.status_code"]; isError {
				wire, _ := message["error"].(map[string]any)
				require.NotNil(t, wire, "the wire has the code of the span")
				assert.Equal(t, code, jsonText(wire["code"]))
			}
			if tool, registered := strings.CutPrefix(c.span, "tools/call "); registered {
				assert.NotEmpty(t, got["toolcontract.digest"])
				delete(got, "toolcontract.digest")
				want["gen_ai.tool.name"] = tool
				want["toolcontract.version"], want["toolcontract.risk"], want["toolcontract.effect"] = "1.2.0", "medium", "low-risk-write"
			}
			maps.Copy(want, c.want)
			assert.Equal(t, want, got)
			var events []string
			for _, e := range span.Events() {
				events = append(events, e.Name)
			}
			assert.Equal(t, c.events, events)
		})
	}
}

func TestObserver_TheTraceOfTheClientIsTheParent(t *testing.T) {
	t.Parallel()
	meta := `,"traceparent":"` + traceparent + `","tracestate":"vendor=1","baggage":"region=eu"`
	var handler trace.SpanContext
	var region string
	k := newKit(t, func(ctx context.Context) {
		handler = trace.SpanContextFromContext(ctx)
		region = baggage.FromContext(ctx).Member("region").Value()
	})
	ctx, request := k.tracers.Tracer("test").Start(t.Context(), "POST /mcp")
	k.call(ctx, "notes_write", arguments, meta)
	span := k.span("tools/call notes.write")
	assert.Equal(t, traceID, span.SpanContext().TraceID().String())
	assert.Equal(t, parentID, span.Parent().SpanID().String())
	assert.Equal(t, "vendor=1", span.SpanContext().TraceState().String())
	require.Len(t, span.Links(), 1)
	assert.Equal(t, request.SpanContext().SpanID(), span.Links()[0].SpanContext.SpanID())
	assert.Equal(t, span.SpanContext().SpanID(), handler.SpanID())
	assert.Equal(t, "eu", region)
}

func TestObserver_WithoutATraceOfTheClientTheRequestIsTheParent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meta       string
		propagator propagation.TextMapPropagator
	}{
		"none":                      {},
		"one that cannot be parsed": {`,"traceparent":"00-xyz-1-01"`, nil},
		"one of another type":       {`,"traceparent":{"a":1}`, nil},
		"a propagator of nothing":   {`,"traceparent":"` + traceparent + `"`, propagation.NewCompositeTextMapPropagator()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, ignore, func(to *otel.Config) { to.Propagator = c.propagator })
			ctx, request := k.tracers.Tracer("test").Start(t.Context(), "POST /mcp")
			k.call(ctx, "notes_write", arguments, c.meta)
			span := k.span("tools/call notes.write")
			assert.Equal(t, request.SpanContext().SpanID(), span.Parent().SpanID())
			assert.Empty(t, span.Links())
			request.End()
			assert.Equal(t, "ok", texts(k.span("POST /mcp").Attributes())["toolcontract.status"], "it has the outcome too")
		})
	}
}

func TestObserver_AnOperationOfASharedStoreIsAChild(t *testing.T) {
	t.Parallel()
	k := newKit(t, ignore)
	k.call(t.Context(), "notes_once", arguments, "")
	call, claim := k.span("tools/call notes.once"), k.span("store claim")
	assert.Equal(t, call.SpanContext().SpanID(), claim.Parent().SpanID())
	assert.Equal(t, trace.SpanKindClient, claim.SpanKind())
	assert.Equal(t, map[string]string{"toolcontract.store.operation": "claim"}, texts(claim.Attributes()))
	assert.False(t, claim.EndTime().After(call.EndTime()))
	assert.False(t, claim.StartTime().Before(call.StartTime()))
}

func TestObserver_NamesThePrincipalOnlyOnRequest(t *testing.T) {
	t.Parallel()
	for named, want := range map[bool]string{false: "", true: "anna"} {
		k := newKit(t, ignore, func(c *otel.Config) { c.EndUser = named })
		k.call(t.Context(), "notes_write", arguments, "")
		assert.Equal(t, want, texts(k.span("tools/call notes.write").Attributes())["enduser.id"])
	}
}

func TestObserver_Metrics(t *testing.T) {
	t.Parallel()
	k := newKit(t, ignore)
	k.call(t.Context(), "notes_once", arguments, "")
	k.call(t.Context(), "notes_once", arguments, "")
	k.call(t.Context(), "notes_once", `{}`, "")
	k.call(t.Context(), "unknown", `{}`, "")
	all := k.collect()

	calls := all["toolcontract.calls"].Data.(metricdata.Sum[int64])
	counted := map[string]int64{}
	for _, p := range calls.DataPoints {
		a := texts(p.Attributes.ToSlice())
		counted[a["gen_ai.tool.name"]+" "+a["toolcontract.status"]+" "+a["toolcontract.code"]+" "+a["toolcontract.stage"]] = p.Value
	}
	assert.Equal(t, map[string]int64{
		"notes.once ok  checkresult": 1, "notes.once replayed  begin": 1,
		"notes.once error invalid_input validate": 1, " error unknown_tool lookup": 1,
	}, counted)

	duration := all["mcp.server.operation.duration"].Data.(metricdata.Histogram[float64])
	var operations uint64
	for _, p := range duration.DataPoints {
		operations += p.Count
		assert.Equal(t, []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}, p.Bounds)
	}
	assert.EqualValues(t, 4, operations)
	assert.Equal(t, "s", all["mcp.server.operation.duration"].Unit)

	stored := map[string]bool{}
	for _, p := range all["toolcontract.store.operation.duration"].Data.(metricdata.Histogram[float64]).DataPoints {
		stored[texts(p.Attributes.ToSlice())["toolcontract.store.operation"]] = true
	}
	assert.True(t, stored["claim"] && stored["complete"], "%v", stored)
}

func TestObserver_Stats(t *testing.T) {
	t.Parallel()
	var k *kit
	running := map[string]int64{}
	k = newKit(t, func(context.Context) {
		for name, m := range k.collect() {
			if sum, ok := m.Data.(metricdata.Sum[int64]); ok && len(sum.DataPoints) == 1 {
				running[name] = sum.DataPoints[0].Value
			}
		}
	})
	k.call(t.Context(), "notes_write", arguments, "")
	assert.EqualValues(t, 1, running["toolcontract.handlers.running"])
	for _, name := range []string{"toolcontract.questions.waiting", "toolcontract.audit.queue", "toolcontract.audit.lost"} {
		value, reported := running[name]
		assert.True(t, reported, name)
		assert.Zero(t, value, name)
	}
}

func TestObserver_AddsUpItsGuardsUntilTheyClose(t *testing.T) {
	t.Parallel()
	var k *kit
	var second *adapter.Table
	var both int64
	running := func() int64 {
		data, _ := k.collect()["toolcontract.handlers.running"].Data.(metricdata.Sum[int64])
		if len(data.DataPoints) == 0 {
			return -1
		}
		return data.DataPoints[0].Value
	}
	k = newKit(t, func(ctx context.Context) {
		_, err := second.Call(ctx, second.Entry("notes_fail"), adapter.Request{Arguments: []byte(arguments)})
		assert.NoError(t, err)
	})
	g, err := guard.New(guard.WithObserver(k.observer), guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	second, err = adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{contract.New("notes.fail",
		func(context.Context, noteIn) (string, error) { both = running(); return "", nil }).
		Description("Counts.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()}})
	require.NoError(t, err)
	k.call(t.Context(), "notes_write", arguments, "")
	assert.EqualValues(t, 2, both)
	require.NoError(t, g.Close(t.Context()))
	assert.Zero(t, running())
	require.NoError(t, k.guard.Close(t.Context()))
	assert.EqualValues(t, -1, running(), "nothing is reported any more")
}

// The zero CallInfo is a call of a tool that does not exist.
func TestObserver_BeginsACallWithoutATool(t *testing.T) {
	t.Parallel()
	k := newKit(t, ignore)
	observer, err := otel.New(otel.Config{TracerProvider: k.tracers})
	require.NoError(t, err)
	_, end := observer.Begin(t.Context(), guard.CallInfo{})
	end()
	assert.Equal(t, codes.Unset, k.span("tools/call").Status().Code)
}
