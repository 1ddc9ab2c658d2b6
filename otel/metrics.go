package otel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/metric"

	"github.com/toolcontract/toolcontract/guard"
)

// seconds are the bounds of the histograms, as the conventions for MCP have
// them.
var seconds = []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}

// storeSeconds are the bounds for the store, whose operations are faster than
// calls.
var storeSeconds = []float64{.0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2}

// instruments are the metrics of an [Observer].
type instruments struct {
	meter     metric.Meter
	duration  metric.Float64Histogram
	calls     metric.Int64Counter
	decisions metric.Int64Counter
	stored    metric.Float64Histogram

	handlers  metric.Int64ObservableUpDownCounter
	questions metric.Int64ObservableUpDownCounter
	queue     metric.Int64ObservableUpDownCounter
	lost      metric.Int64ObservableCounter
}

func newInstruments(meter metric.Meter) (instruments, error) {
	i := instruments{meter: meter}
	errs := make([]error, 8)
	i.duration, errs[0] = meter.Float64Histogram("mcp.server.operation.duration",
		metric.WithUnit("s"), metric.WithDescription("The duration of a call, from its arrival to its answer."),
		metric.WithExplicitBucketBoundaries(seconds...))
	i.calls, errs[1] = meter.Int64Counter("toolcontract.calls",
		metric.WithUnit("{call}"), metric.WithDescription("Calls by their outcome."))
	i.decisions, errs[2] = meter.Int64Counter("toolcontract.decisions",
		metric.WithUnit("{decision}"), metric.WithDescription("Answers of people, in clients and on pages."))
	i.stored, errs[3] = meter.Float64Histogram("toolcontract.store.operation.duration",
		metric.WithUnit("s"), metric.WithDescription("The duration of an operation of the store."),
		metric.WithExplicitBucketBoundaries(storeSeconds...))
	i.handlers, errs[4] = meter.Int64ObservableUpDownCounter("toolcontract.handlers.running",
		metric.WithUnit("{handler}"), metric.WithDescription("Running handlers, also those whose callers were answered."))
	i.questions, errs[5] = meter.Int64ObservableUpDownCounter("toolcontract.questions.waiting",
		metric.WithUnit("{question}"), metric.WithDescription("Questions for whose answers calls wait."))
	i.queue, errs[6] = meter.Int64ObservableUpDownCounter("toolcontract.audit.queue",
		metric.WithUnit("{event}"), metric.WithDescription("Audit events that wait for the sink."))
	i.lost, errs[7] = meter.Int64ObservableCounter("toolcontract.audit.lost",
		metric.WithUnit("{event}"), metric.WithDescription("Audit events that the sink did not accept."))
	return i, errors.Join(errs...)
}

// Attach reports the numbers of [guard.Guard.Stats] as metrics until the guard
// is closed. Several guards' numbers are added up. It implements
// [guard.Observer].
func (o *Observer) Attach(g *guard.Guard) (detach func(), err error) {
	registration, err := o.meter.RegisterCallback(func(_ context.Context, r metric.Observer) error {
		s := g.Stats()
		r.ObserveInt64(o.handlers, int64(s.Handlers))
		r.ObserveInt64(o.questions, int64(s.Questions))
		r.ObserveInt64(o.queue, int64(s.AuditQueue))
		r.ObserveInt64(o.lost, int64(min(s.AuditLost, 1<<62)))
		return nil
	}, o.handlers, o.questions, o.queue, o.lost)
	if err != nil {
		return nil, err
	}
	return func() { _ = registration.Unregister() }, nil // it is registered
}
