package otel

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard"
)

// scope is the name of the instrumentation scope.
const scope = "github.com/toolcontract/toolcontract/otel"

// An Observer reports calls as spans and metrics. [New] returns one. It is safe
// for concurrent use, and can serve several guards.
type Observer struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	endUser    bool
	instruments
}

var _ guard.Observer = (*Observer)(nil)

// A Config configures an [Observer]. The zero Config uses the global providers.
type Config struct {
	// TracerProvider is the provider of the spans. Nil means the global one.
	TracerProvider trace.TracerProvider
	// MeterProvider is the provider of the metrics. Nil means the global one.
	MeterProvider metric.MeterProvider
	// Propagator reads the client's trace from the members traceparent,
	// tracestate and baggage of the request's _meta. Nil means W3C Trace
	// Context and Baggage.
	Propagator propagation.TextMapPropagator
	// EndUser adds the attribute enduser.id to spans, with the principal's
	// subject. By default no span names a person.
	EndUser bool
}

// New returns an Observer. An error comes from the provider of metrics.
func New(c Config) (*Observer, error) {
	if c.TracerProvider == nil {
		c.TracerProvider = otel.GetTracerProvider()
	}
	if c.MeterProvider == nil {
		c.MeterProvider = otel.GetMeterProvider()
	}
	if c.Propagator == nil {
		c.Propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	}
	made, err := newInstruments(c.MeterProvider.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL)))
	if err != nil {
		return nil, err
	}
	return &Observer{
		tracer:     c.TracerProvider.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL)),
		propagator: c.Propagator, endUser: c.EndUser, instruments: made,
	}, nil
}

// A call is one call between its arrival and its answer.
type call struct {
	span    trace.Span
	around  trace.Span // of the server's own middleware, or the HTTP request
	info    guard.CallInfo
	request []attribute.KeyValue // what spans and metrics share
	start   time.Time

	mu   sync.Mutex
	last audit.Event // the terminal event, or the last question
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// Begin starts the span of a call. It implements [guard.Observer].
func (o *Observer) Begin(ctx context.Context, info guard.CallInfo) (context.Context, func()) {
	t := adapter.TransportFrom(ctx)
	c := &call{info: info, request: requestAttributes(info.Tool, t), start: time.Now(), around: trace.SpanFromContext(ctx)}
	name := methodCall
	if info.Tool != "" {
		name += " " + info.Tool
	}
	options := []trace.SpanStartOption{
		trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(c.start),
		trace.WithAttributes(c.request...), trace.WithAttributes(spanAttributes(info, t)...),
	}
	ambient := trace.SpanContextFromContext(ctx)
	ctx = o.propagator.Extract(ctx, carrier(t))
	if ambient.IsValid() && !trace.SpanContextFromContext(ctx).Equal(ambient) {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: ambient}))
	}
	ctx, c.span = o.tracer.Start(ctx, name, options...)
	ctx = context.WithValue(ctx, callKey{}, c)
	return ctx, func() { o.end(ctx, c) }
}

// carrier returns the trace context of a request in the form of package
// propagation.
func carrier(t adapter.Transport) propagation.MapCarrier {
	sent := propagation.MapCarrier{}
	for name, value := range map[string]string{"traceparent": t.TraceParent, "tracestate": t.TraceState, "baggage": t.Baggage} {
		if value != "" {
			sent[name] = value
		}
	}
	return sent
}

// spanAttributes are the attributes that only the span of a call has, from its
// beginning.
func spanAttributes(info guard.CallInfo, t adapter.Transport) []attribute.KeyValue {
	var attributes []attribute.KeyValue
	if t.Session != "" && len(t.Session) <= maxSession {
		attributes = append(attributes, sessionID.String(t.Session))
	}
	if info.Digest != "" {
		attributes = append(attributes, version.String(info.Version), digest.String(info.Digest))
	}
	return attributes
}

// Audited adds an event to the span of its call, or to that of the page on
// which a person decides. It implements [guard.Observer].
func (o *Observer) Audited(ctx context.Context, e audit.Event) {
	c := callFrom(ctx)
	if c == nil {
		o.decided(ctx, e)
		return
	}
	switch e.Kind {
	case audit.Intent:
		c.span.AddEvent("toolcontract.intent", trace.WithAttributes(stage.String(e.Stage)))
		return
	case audit.Asked:
		c.span.AddEvent("toolcontract.asked", trace.WithAttributes(stage.String(e.Stage)))
	case audit.Decided:
		o.decided(ctx, e)
		return
	case audit.Terminal:
	case audit.Found, audit.Late: // it is about a call whose span has ended
		return
	}
	c.mu.Lock()
	c.last = e
	c.mu.Unlock()
}

// decided records the answer of a person, or an operator's finding.
func (o *Observer) decided(ctx context.Context, e audit.Event) {
	attributes := metric.WithAttributes(decision.String(string(e.Decision)), stage.String(e.Stage))
	o.decisions.Add(ctx, 1, attributes)
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.AddEvent("toolcontract.decided", trace.WithAttributes(
			callID.String(e.CallID), decision.String(string(e.Decision)), stage.String(e.Stage)))
	}
}

// end ends the span of a call and counts the call.
func (o *Observer) end(ctx context.Context, c *call) {
	c.mu.Lock()
	e := c.last
	c.mu.Unlock()
	failed, ours := failure(e)
	happened := outcome(e)
	c.span.SetAttributes(happened...)
	c.around.SetAttributes(happened...)
	c.span.SetAttributes(failed...)
	c.span.SetAttributes(callID.String(e.CallID))
	if c.info.Tool != "" {
		c.span.SetAttributes(riskLevel.String(e.Risk.String()), effect.String(e.Effect.String()))
	}
	if o.endUser && e.Principal != "" {
		c.span.SetAttributes(semconv.EnduserID(e.Principal))
	}
	if ours {
		c.span.SetStatus(codes.Error, e.Code)
	}
	now := time.Now()
	c.span.End(trace.WithTimestamp(now))

	o.duration.Record(ctx, now.Sub(c.start).Seconds(), metric.WithAttributes(c.request...), metric.WithAttributes(failed...))
	if c.info.Tool != "" {
		happened = append(happened, toolName.String(c.info.Tool), riskLevel.String(e.Risk.String()))
	}
	o.calls.Add(ctx, 1, metric.WithAttributes(happened...))
}

// Stored records an operation of the store. An operation has a span only if
// processes share the store, because one in memory takes microseconds. It
// implements [guard.Observer].
func (o *Observer) Stored(ctx context.Context, op guard.StoreOperation) {
	attributes := []attribute.KeyValue{storeOperation.String(op.Name)}
	if op.Outage {
		attributes = append(attributes, semconv.ErrorTypeKey.String(unavailable))
	}
	o.stored.Record(ctx, op.Duration.Seconds(), metric.WithAttributes(attributes...))
	if op.Local {
		return
	}
	_, span := o.tracer.Start(ctx, "store "+op.Name,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(op.Start), trace.WithAttributes(attributes...))
	if op.Outage {
		span.SetStatus(codes.Error, unavailable)
	}
	span.End(trace.WithTimestamp(op.Start.Add(op.Duration)))
}
