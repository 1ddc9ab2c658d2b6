package otel_test

import (
	"context"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// runSpans maps the events of one run to spans: one for the run, one for each
// request to the model, and one for each call. Its attributes are names, counts
// and codes, and no text of the model or of a server.
type runSpans struct {
	start func(name string, attributes ...attribute.KeyValue) trace.Span
	run   trace.Span
	model trace.Span
	calls map[string]trace.Span // by the ID of the call
}

func newRunSpans(ctx context.Context, tracer trace.Tracer) *runSpans {
	ctx, run := tracer.Start(ctx, "invoke_agent")
	s := &runSpans{run: run, calls: map[string]trace.Span{}}
	s.start = func(name string, attributes ...attribute.KeyValue) trace.Span {
		_, span := tracer.Start(ctx, name, trace.WithAttributes(attributes...))
		return span
	}
	return s
}

// event is for agent.Task.Events, which calls it on one goroutine.
func (s *runSpans) event(e agent.Event) {
	switch e.Kind {
	case agent.EventAsking:
		s.model = s.start("chat", attribute.String("gen_ai.operation.name", "chat"))
	case agent.EventReplied:
		s.model.SetAttributes(attribute.Int64("gen_ai.usage.total_tokens", e.Usage.Tokens))
		s.model.End()
	case agent.EventCalling:
		s.calls[e.Call.ID] = s.start("execute_tool "+e.Call.Tool, attribute.String("gen_ai.tool.name", e.Call.Tool),
			attribute.String("gen_ai.tool.call.id", e.Call.ID), attribute.String("toolcontract.rule", e.Decision.Rule))
	case agent.EventWaiting:
		s.calls[e.Call.ID].AddEvent("waiting for a person")
	case agent.EventObserved:
		if span := s.calls[e.Call.ID]; span != nil { // a refused call was not sent, and has none
			end(span, e.Observed.Err, e.Observed.Code)
			delete(s.calls, e.Call.ID)
		}
	case agent.EventEnded:
		for _, span := range s.calls {
			end(span, e.Err, "interrupted")
		}
		if s.model != nil {
			s.model.End() // does nothing if the model has replied
		}
		end(s.run, e.Err, "run")
	case agent.EventDecided, agent.EventAnswered:
		s.run.AddEvent(e.Kind.String(), trace.WithAttributes(attribute.String("toolcontract.rule", e.Decision.Rule)))
	}
}

// end ends a span, with a code for an error.
func end(span trace.Span, err error, code string) {
	if err != nil {
		span.SetAttributes(attribute.String("error.type", code))
		span.SetStatus(codes.Error, code)
	}
	span.End()
}

// disk is a caller whose only tool fails. A program uses an agent.Agent.
type disk struct{}

func (disk) Tools() []agent.Tool {
	write := contract.Document{Name: "files_write", Effect: risk.LowRiskWrite, ContentTrust: trust.Trusted}
	return []agent.Tool{{Name: "files_write", Contract: write.Effective(), Origin: agent.OriginContract}}
}

func (disk) Call(context.Context, string, any, ...agent.CallOption) (*agent.Result, error) {
	return nil, &agent.RetryError{Failure: agent.Failure{Tool: "files_write", Code: "already_exists", Attempts: 1}}
}

// The events of an agent's run become spans.
func Example_agent() {
	ctx, spans := context.Background(), tracetest.NewInMemoryExporter()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)).Tracer("agent")
	turns := []agent.Turn{{Calls: []agent.ToolCall{{Tool: "files_write"}}}, {Text: "There is a file already."}}
	_, err := agent.Run(ctx, agent.Task{
		Callers: []agent.Caller{disk{}},
		Policy:  agent.Policy{Accept: agent.AcceptContracts},
		Events:  newRunSpans(ctx, tracer).event,
		Model: func(context.Context, agent.Conversation) (agent.Turn, error) {
			turn := turns[0]
			turns = turns[1:]
			return turn, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range spans.GetSpans() {
		fmt.Printf("%s %q\n", s.Name, s.Status.Description)
	}
	// Output:
	// chat ""
	// execute_tool files_write "already_exists"
	// chat ""
	// invoke_agent ""
}
