package mcpgo_test

import (
	"context"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/tracing"
	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// A tracer records the attributes of its spans, by the name of the span.
type tracer struct {
	mu    sync.Mutex
	spans map[string]map[string]string
}

func (tr *tracer) Start(ctx context.Context, name string, _ tracing.SpanKind, attributes ...tracing.Attribute) (context.Context,
	tracing.Span) {
	s := &span{tr, name}
	s.SetAttributes(attributes...)
	return tracing.ContextWithSpan(ctx, s), s
}

type span struct {
	tracer *tracer
	name   string
}

func (s *span) SetAttributes(attributes ...tracing.Attribute) {
	s.tracer.mu.Lock()
	defer s.tracer.mu.Unlock()
	for _, a := range attributes {
		if s.tracer.spans[s.name] == nil {
			s.tracer.spans[s.name] = map[string]string{}
		}
		s.tracer.spans[s.name][a.Key] = a.Value
	}
}
func (*span) RecordError(error)                    {}
func (*span) SetStatus(tracing.StatusCode, string) {}
func (*span) End()                                 {}

func TestSpan_HasTheOutcomeOfTheCall(t *testing.T) {
	t.Parallel()
	tr := &tracer{spans: map[string]map[string]string{}}
	k := newKit(t, (&tools{}).All(), mcpgo.WithServerOptions(server.WithTracer(tr)))
	k.call(modern, "", "calc.add", `{"a":1}`)
	k.call(modern, "bob", "notes.write", `{"text":"secret"}`)
	assert.Equal(t, map[string]string{"mcp.tool.name": "calc.add", "toolcontract.risk": "low", "toolcontract.status": "ok"},
		tr.spans["tool.calc.add"])
	assert.Equal(t, map[string]string{
		"mcp.tool.name": "notes.write", "toolcontract.risk": "medium", "toolcontract.status": "error",
		"toolcontract.code": contract.CodePermissionDenied,
	}, tr.spans["tool.notes.write"])
}
