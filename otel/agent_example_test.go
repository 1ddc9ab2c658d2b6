package otel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
)

// callSpans makes a span of each attempt of each call of an agent. Its
// attributes are names, counts and codes, and no text of the server.
type callSpans struct {
	tracer trace.Tracer

	mu   sync.Mutex
	open map[string]trace.Span // by the tool and the key of the call
}

// step is for agent.Options.
func (s *callSpans) step(step agent.Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := step.Tool + " " + step.Key
	switch step.Kind {
	case agent.StepSent:
		_, s.open[id] = s.tracer.Start(context.Background(), "execute_tool "+step.Tool, trace.WithAttributes(
			attribute.String("gen_ai.tool.name", step.Tool), attribute.Int("toolcontract.attempt", step.Attempt)))
	case agent.StepAnswered, agent.StepLost:
		span := s.open[id]
		if span == nil {
			return // two calls without a key ran beside each other
		}
		if step.Kind == agent.StepLost {
			step.Code = "lost"
		}
		if step.Code != "" {
			span.SetAttributes(attribute.String("error.type", step.Code))
			span.SetStatus(codes.Error, step.Code)
		}
		span.End()
		delete(s.open, id)
	default: // it happens between two attempts
	}
}

// disk is a server whose only tool fails. A program dials a real one.
type disk struct{}

func (disk) Dial(context.Context, client.Person) (client.Session, error) { return disk{}, nil }
func (disk) Modern() bool                                                { return true }
func (disk) Close() error                                                { return nil }

func (disk) ListTools(context.Context, string) (json.RawMessage, error) {
	return json.RawMessage(`{"tools":[{"name":"files_read","inputSchema":{"type":"object"},` +
		`"annotations":{"readOnlyHint":true}}]}`), nil
}

func (disk) CallTool(context.Context, client.CallParams) (json.RawMessage, error) {
	return fmt.Appendf(nil, `{"isError":true,"content":[{"type":"text","text":"there is no such file"}],`+
		`"_meta":{%q:{"status":"error","code":"not_found","class":"retryable"}}}`, contract.MetaKeyOutcome), nil
}

// The steps of an agent's calls become spans.
func Example_agent() {
	ctx, exported := context.Background(), tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exported))
	spans := &callSpans{tracer: provider.Tracer("agent"), open: map[string]trace.Span{}}
	a, err := agent.Connect(ctx, disk{}, agent.Options{Steps: spans.step})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	_, err = a.Call(ctx, "files_read", nil, agent.Approved())
	fmt.Println(err)
	for _, s := range exported.GetSpans() {
		fmt.Printf("%s %q\n", s.Name, s.Status.Description)
	}
	// Output:
	// agent: call of files_read: not_found; give the failure to the model
	// execute_tool files_read "not_found"
}
