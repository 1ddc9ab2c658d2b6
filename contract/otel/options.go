package otel

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// An Option configures an [Observer].
type Option interface{ apply(*config) error }

type optionFunc func(*config) error

func (f optionFunc) apply(c *config) error { return f(c) }

// A config is what options set.
type config struct {
	tracers    trace.TracerProvider
	meters     metric.MeterProvider
	propagator propagation.TextMapPropagator
	endUser    bool
}

// WithTracerProvider sets the provider of the spans. Default: the global one.
// Nil is an error.
func WithTracerProvider(p trace.TracerProvider) Option {
	return optionFunc(func(c *config) error {
		if p == nil {
			return errors.New("otel: WithTracerProvider: the provider is nil; leave the option out to use the global one")
		}
		c.tracers = p
		return nil
	})
}

// WithMeterProvider sets the provider of the metrics. Default: the global one.
// Nil is an error.
func WithMeterProvider(p metric.MeterProvider) Option {
	return optionFunc(func(c *config) error {
		if p == nil {
			return errors.New("otel: WithMeterProvider: the provider is nil; leave the option out to use the global one")
		}
		c.meters = p
		return nil
	})
}

// WithPropagator sets how the trace of the client is read from the members
// traceparent, tracestate and baggage of the request's _meta. Default: W3C
// Trace Context and Baggage. Nil is an error.
func WithPropagator(p propagation.TextMapPropagator) Option {
	return optionFunc(func(c *config) error {
		if p == nil {
			return errors.New("otel: WithPropagator: the propagator is nil; leave the option out to use the default")
		}
		c.propagator = p
		return nil
	})
}

// WithEndUser adds the attribute enduser.id to spans, with the subject of the
// principal. Default: no span names a person.
func WithEndUser() Option {
	return optionFunc(func(c *config) error {
		c.endUser = true
		return nil
	})
}
