package otel

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
)

// The attributes of the conventions for MCP, which package semconv no longer
// has: open-telemetry/semantic-conventions-genai, model/mcp, at commit
// 55a32cddb97d99cec08d5ee081e74206a0636041. Their status is Development.
const (
	methodName      = attribute.Key("mcp.method.name")
	protocolVersion = attribute.Key("mcp.protocol.version")
	sessionID       = attribute.Key("mcp.session.id")
	toolName        = attribute.Key("gen_ai.tool.name")
	operationName   = attribute.Key("gen_ai.operation.name")
)

// The attributes of this project.
const (
	callID         = attribute.Key("toolcontract.call_id")
	decision       = attribute.Key("toolcontract.decision")
	stage          = attribute.Key("toolcontract.stage")
	status         = attribute.Key("toolcontract.status")
	code           = attribute.Key("toolcontract.code")
	class          = attribute.Key("toolcontract.class")
	riskLevel      = attribute.Key("toolcontract.risk")
	effect         = attribute.Key("toolcontract.effect")
	version        = attribute.Key("toolcontract.version")
	digest         = attribute.Key("toolcontract.digest")
	storeOperation = attribute.Key("toolcontract.store.operation")
)

// The values of the conventions.
const (
	methodCall  = "tools/call"
	executeTool = "execute_tool"
	// toolError is the error.type of a result with isError.
	toolError = "tool_error"
	// unavailable is the error.type of a store that did not answer.
	unavailable = "unavailable"
	// other replaces a value that a client has made up.
	other = "_OTHER"
)

// rpcCodes are the codes of JSON-RPC with which adapters answer a call that has
// no result, by its code in the audit log.
var rpcCodes = map[string]string{"unknown_tool": invalidParams, "unparsable": invalidParams, "rejected_state": "-32603"}

// invalidParams is a code of JSON-RPC that the conventions do not count as an
// error of the server.
const invalidParams = "-32602"

// versions are the versions of MCP. Any other one comes from a client that
// made it up, and would be a new time series.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// maxSession bounds the id of a session, in bytes.
const maxSession = 128

// requestAttributes are the attributes of a request that spans and metrics
// share.
func requestAttributes(tool string, t adapter.Transport) []attribute.KeyValue {
	attributes := []attribute.KeyValue{methodName.String(methodCall), operationName.String(executeTool)}
	if tool != "" {
		attributes = append(attributes, toolName.String(tool))
	}
	switch {
	case slices.Contains(versions, t.ProtocolVersion):
		attributes = append(attributes, protocolVersion.String(t.ProtocolVersion))
	case t.ProtocolVersion != "":
		attributes = append(attributes, protocolVersion.String(other))
	}
	switch t.Network {
	case "tcp":
		attributes = append(attributes, semconv.NetworkTransportTCP, semconv.NetworkProtocolName("http"))
	case "pipe":
		attributes = append(attributes, semconv.NetworkTransportPipe)
	}
	return attributes
}

// failure returns the attributes of the error of a call, none if it has none.
// ours means that the conventions count it as an error of the server.
func failure(e audit.Event) (attributes []attribute.KeyValue, ours bool) {
	if e.Status != contract.StatusError.String() {
		return nil, false
	}
	if rpc, ok := rpcCodes[e.Code]; ok {
		return []attribute.KeyValue{semconv.ErrorTypeKey.String(rpc), semconv.RPCResponseStatusCode(rpc)}, rpc != invalidParams
	}
	return []attribute.KeyValue{semconv.ErrorTypeKey.String(toolError)}, true
}

// outcome returns what happened to a call, without what only spans have.
func outcome(e audit.Event) []attribute.KeyValue {
	attributes := []attribute.KeyValue{decision.String(string(e.Decision)), stage.String(e.Stage), status.String(e.Status)}
	if e.Code != "" {
		attributes = append(attributes, code.String(e.Code))
	}
	if e.Class != "" {
		attributes = append(attributes, class.String(e.Class))
	}
	return attributes
}
