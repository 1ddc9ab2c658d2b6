package otel_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/otel"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// BenchmarkCall compares a call without an observer, with one whose spans are
// not sampled, and with one whose spans are exported to nowhere.
func BenchmarkCall(b *testing.B) {
	discard := audit.Func(func(context.Context, audit.Event) error { return nil })
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	for _, c := range []struct {
		name    string
		sampler sdktrace.Sampler // nil: no observer
	}{{"observer=none", nil}, {"observer=unsampled", sdktrace.NeverSample()}, {"observer=sampled", sdktrace.AlwaysSample()}} {
		b.Run(c.name, func(b *testing.B) {
			options := []guard.Option{guard.WithAudit(discard), guard.WithRateLimit(1<<30, 1)}
			if c.sampler != nil {
				observer, err := otel.New(otel.Config{MeterProvider: meters, TracerProvider: sdktrace.NewTracerProvider(
					sdktrace.WithSampler(c.sampler), sdktrace.WithBatcher(tracetest.NewNoopExporter()))})
				require.NoError(b, err)
				options = append(options, guard.WithObserver(observer))
			}
			g, err := guard.New(options...)
			require.NoError(b, err)
			b.Cleanup(func() { _ = g.Close(context.Background()) })
			find := contract.New("notes.find", func(context.Context, noteIn) (string, error) { return "none", nil }).
				Description("Finds notes.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
			table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{find}})
			require.NoError(b, err)
			e := table.Entry("notes_find")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := table.Call(b.Context(), e, adapter.Request{Arguments: []byte(arguments)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
