package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/tracing"

	"github.com/toolcontract/toolcontract/contract"
)

// The attributes of a call's span, beside those of server.WithTracer.
const (
	attributeRisk   = "toolcontract.risk"
	attributeStatus = "toolcontract.status"
	attributeCode   = "toolcontract.code"
)

// trace tells the span around a handler, where the server has a tracer, what
// became of the call. Only fixed words leave.
func trace(ctx context.Context, e *entry, o contract.Outcome) {
	attributes := make([]tracing.Attribute, 0, 3)
	attributes = append(attributes, tracing.String(attributeRisk, e.risk.String()), tracing.String(attributeStatus, o.Status.String()))
	if o.Code != "" {
		attributes = append(attributes, tracing.String(attributeCode, o.Code))
	}
	tracing.SpanFromContext(ctx).SetAttributes(attributes...)
}
