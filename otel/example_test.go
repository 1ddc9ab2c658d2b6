package otel_test

import (
	"context"
	"fmt"
	"log"

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

func Example() {
	spans := tracetest.NewInMemoryExporter() // a program uses an exporter such as otlptracehttp
	observer, err := otel.New(otel.Config{TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))})
	if err != nil {
		log.Fatal(err)
	}
	g, err := guard.New(guard.WithObserver(observer), guard.WithAudit(&audit.Recorder{}))
	if err != nil {
		log.Fatal(err)
	}
	find := contract.New("notes.find", func(context.Context, struct{}) (string, error) { return "none", nil }).
		Description("Finds notes.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{find}})
	if err != nil {
		log.Fatal(err)
	}
	for _, arguments := range []string{`{}`, `{"text":"milk"}`} {
		request := adapter.Request{Arguments: []byte(arguments)}
		if _, err := table.Call(context.Background(), table.Entry("notes_find"), request); err != nil {
			log.Fatal(err)
		}
	}
	if err := g.Close(context.Background()); err != nil {
		log.Fatal(err)
	}
	for _, s := range spans.GetSpans() {
		fmt.Printf("%s: %s %q\n", s.Name, s.Status.Code, s.Status.Description)
	}
	// Output:
	// tools/call notes.find: Unset ""
	// tools/call notes.find: Error "invalid_input"
}
