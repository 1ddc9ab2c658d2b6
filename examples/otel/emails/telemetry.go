package main

import (
	"context"
	"errors"
	"flag"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/otel"
)

// lastExport bounds the export at the end of the server.
const lastExport = 5 * time.Second

// telemetry sends spans and metrics to the collector of the flag -otlp.
type telemetry struct{ collector *url.URL }

func (t *telemetry) flags(set *flag.FlagSet) {
	set.Func("otlp", "send spans and metrics to the OpenTelemetry collector at `URL`, such as http://127.0.0.1:4318 "+
		"(default: none)", func(value string) error {
		collector, err := url.Parse(value)
		if err != nil || collector.Host == "" || collector.Scheme != "http" && collector.Scheme != "https" {
			return errors.New("it is not an address such as http://127.0.0.1:4318")
		}
		t.collector = collector
		return nil
	})
}

// open opens the backend, and adds the observer to it.
func (t *telemetry) open(backend func() (exampleserver.Backend, error)) (exampleserver.Backend, error) {
	b, err := backend()
	if err != nil || t.collector == nil {
		return b, err
	}
	ctx := context.Background()
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(t.collector.JoinPath("v1/traces").String()))
	if err != nil {
		return b, err
	}
	metrics, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(t.collector.JoinPath("v1/metrics").String()))
	if err != nil {
		return b, err
	}
	of := resource.NewSchemaless(attribute.String("service.name", "emails"))
	tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(of))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metrics)), sdkmetric.WithResource(of))
	observer, err := otel.New(otel.Config{TracerProvider: tracers, MeterProvider: meters})
	if err != nil {
		return b, err
	}
	b.Options = append(b.Options, guard.WithObserver(observer))
	return b.Closing(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), lastExport)
		defer cancel()
		return errors.Join(tracers.Shutdown(ctx), meters.Shutdown(ctx))
	}), nil
}
