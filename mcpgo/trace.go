package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/tracing"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// The attributes of a call's span, in addition to those of server.WithTracer.
const (
	attributeRisk   = "toolcontract.risk"
	attributeStatus = "toolcontract.status"
	attributeCode   = "toolcontract.code"
)

// noSpan is the span of a context without a tracer.
var noSpan = tracing.SpanFromContext(context.Background())

// trace sets the outcome of the call as attributes of the span around a
// handler, if the server has a tracer. The values are fixed words.
func trace(ctx context.Context, e *adapter.Entry, o *contract.Outcome) {
	span := tracing.SpanFromContext(ctx)
	if span == noSpan {
		return
	}
	attributes := make([]tracing.Attribute, 0, 3)
	attributes = append(attributes, tracing.String(attributeRisk, e.Risk().String()), tracing.String(attributeStatus,
		o.Status.String()))
	if o.Code != "" {
		attributes = append(attributes, tracing.String(attributeCode, o.Code))
	}
	span.SetAttributes(attributes...)
}
