// Command smallest is the server of the manual's page about operations: one
// tool, whose calls become spans and metrics.
package main

import (
	"context"
	"errors"
	"log"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/otel"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type addIn struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type addOut struct {
	Sum float64 `json:"sum"`
}

func add(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil }

// Add is the tool: the function add with its contract.
var Add = contract.New("calc.add", add).
	Description("Adds two numbers.").
	Version("1.0.0").
	Effect(risk.ReadOnly).
	Trust(trust.Trusted).
	MustBuild()

func main() {
	if err := serve(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context) error {
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		return err
	}
	metrics, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return err
	}
	tracers := trace.NewTracerProvider(trace.WithBatcher(spans))
	meters := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(metrics)))
	observer, err := otel.New(otel.Config{TracerProvider: tracers, MeterProvider: meters})
	if err != nil {
		return err
	}
	g, err := guard.New(guard.WithObserver(observer))
	if err != nil {
		return err
	}
	// Official SDK: gosdk.ServeStdio and gosdk.WithTools.
	err = mcpgo.ServeStdio("calc", "1.0.0", g, mcpgo.WithTools(Add))
	return errors.Join(err, tracers.Shutdown(ctx), meters.Shutdown(ctx))
}
